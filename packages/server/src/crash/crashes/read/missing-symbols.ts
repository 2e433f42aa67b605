// Lists the symbols that the newest crash reports of a build were missing, and explains for each module why they are
// missing, from the symbols available now.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrash } from '@chauffeur/contract/operations/crash-reports';
import * as contract from '@chauffeur/contract/operations/crash-stacks';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, onlyRow, rows } from '../../../kernel/database/db.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { findBuild } from '../../../ship/builds/builds.ts';
import { findArrived } from '../../symbols/mappings/mappings.sql.ts';
import { formatMissing, readMissing } from '../../symbols/mappings/missing.ts';
import { findLookupStates } from '../../symbols/sources/request.ts';
import { findSymbols, type SymbolAnswer } from '../../symbols/symbols.ts';

type MissingModule = OutputOf<typeof getCrash>['missing_symbols'][number];

/**
 * `missing` has modules in the form of `formatModule`. Modules whose symbols have arrived since are left out, because
 * the report is already being processed again.
 */
export async function explainMissing(
  ctx: Context,
  gameId: string,
  buildId: string,
  missing: readonly string[],
): Promise<MissingModule[]> {
  const natives = missing.filter((text) => readMissing(text) === null);
  const [ofMappings, ofModules] = await Promise.all([
    explainMappings(ctx, gameId, missing),
    explainModules(ctx, gameId, buildId, natives),
  ]);
  return missing.flatMap((text) => ofMappings.get(text) ?? ofModules.get(text) ?? []);
}

async function explainModules(
  ctx: Context,
  gameId: string,
  buildId: string,
  missing: readonly string[],
): Promise<Map<string, MissingModule>> {
  const modules = missing.map(readModule);
  const [answers, lookups] = await Promise.all([
    findSymbols(ctx, gameId, buildId, modules),
    findLookupStates(ctx, modules),
  ]);
  const explained = modules.flatMap(({ debugFile, debugId }, index) => {
    const lookup = lookups[index] ?? null;
    const why = explain(answers[index]!, lookup);
    return why === null ? [] : [[missing[index]!, { module: debugFile, debug_id: debugId, ...why, lookup }] as const];
  });
  return new Map(explained);
}

const OF_MAPPINGS = {
  source_map:
    'No source map of this script was uploaded. Run `chauffeur symbols` on the folder that has the script and its map.',
  proguard:
    'The mapping of this version was not uploaded. Run `chauffeur symbols` on the mapping.txt of ProGuard or R8.',
} as const;

/** The source maps and mappings among what is missing. */
async function explainMappings(
  ctx: Context,
  gameId: string,
  missing: readonly string[],
): Promise<Map<string, MissingModule>> {
  const mappings = missing.flatMap((text) => {
    const mapping = readMissing(text);
    return mapping === null ? [] : [{ text, ...mapping }];
  });
  if (mappings.length === 0) return new Map();
  const arrived = await findArrived(ctx.db, gameId, {
    debugIds: mappings.map(({ debugId }) => debugId).filter(Boolean),
    names: mappings.flatMap(({ name, debugId }) => (debugId === '' ? [`${name}.map`] : [])),
  });
  const explained = mappings
    .filter(({ name, debugId }) => !arrived.has(debugId || `${name}.map`))
    .map(({ text, kind, name, debugId }) => {
      const why = { why: 'never_uploaded', detail: OF_MAPPINGS[kind], lookup: null } as const;
      return [text, { module: name, debug_id: debugId, ...why }] as const;
    });
  return new Map(explained);
}

/** A filename may contain a slash; an id does not. It is a debug id, or the code id of a module without one. */
function readModule(text: string): { debugFile: string; debugId: string; codeId: string } {
  const slash = text.lastIndexOf('/');
  const id = text.slice(slash + 1);
  return { debugFile: text.slice(0, slash), debugId: id, codeId: id };
}

/** The end of the sentence that says why symbols are missing. */
const OF_LOOKUPS = {
  waiting: '; the symbol servers of this service are being asked for them',
  absent: ', and the symbol servers of this service do not have them',
} as const;

function explain(answer: SymbolAnswer, lookup: MissingModule['lookup']): Pick<MissingModule, 'why' | 'detail'> | null {
  if (answer.state === 'unreadable')
    return { why: 'unreadable', detail: `The uploaded symbols cannot be read: ${answer.problem}` };
  if (answer.state !== 'missing') return null;
  const ofLookups = lookup === null ? '' : OF_LOOKUPS[lookup];
  if (answer.why === 'never_uploaded')
    return {
      why: 'never_uploaded',
      detail: `No symbols of this file were uploaded${ofLookups}. Run \`chauffeur symbols\` on the build.`,
    };
  return {
    why: 'wrong_debug_id',
    detail: `Symbols of this file were uploaded for ${answer.uploadedDebugId}, which is another build of it${ofLookups}. Upload the symbols of this build.`,
  };
}

export const listMissingSymbols = handle(
  contract.listMissingSymbols,
  async (ctx, { caller, input: { uid, build_id } }) => {
    const { game } = await requireMember(ctx, caller, uid);
    const build = await findBuild(ctx.db, game.game_id, build_id);
    if (build === null) throw errors.unknownBuild();
    const { reports, missing } = await countMissing(ctx.db, game.game_id, build.build_id);
    const counts = new Map(missing);
    const modules = await explainMissing(ctx, game.game_id, build.build_id, [...counts.keys()]);
    return {
      reports,
      modules: modules.map((module) => ({
        ...module,
        crashes: counts.get(keyOfMissing(module)) ?? 0,
      })),
    };
  },
);

/** The text that `explainMissing` read the module from. */
function keyOfMissing({ module, debug_id: debugId }: MissingModule): string {
  return debugId === '' ? formatMissing('source_map', { url: module, debugId }) : `${module}/${debugId}`;
}

export type MissingCounts = { reports: number; missing: [module: string, crashes: number][] };

/** Reports may be missing the symbols of hundreds of modules; only the most frequent ones are listed. */
const MAX_MODULES = 50;

/** Counts the missing modules in the newest reports of a build. */
export function countMissing(db: Db, gameId: string, buildId: string): Promise<MissingCounts> {
  return onlyRow(
    db,
    sql<MissingCounts>`with newest as materialized (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and build_id = ${buildId} order by report_id desc limit ${LIMITS.missingSymbolReports}
      ), counted as (
        select module, count(*) as crashes from newest, unnest(missing_symbols) as missing (module)
        group by module order by crashes desc, module limit ${MAX_MODULES}
      )
      select (select count(*) from newest) as reports,
        coalesce((select json_agg(json_build_array(module, crashes) order by crashes desc, module) from counted), '[]') as missing`,
  );
}

/** The newest reports of each build that are examined when many builds are read at once. */
const REPORTS_OF_EACH = 100;

export type MissingOfBuilds = MissingModule & { crashes: number; build_ids: string[] };

/** The modules that the newest reports of these builds were missing, most frequent first, and why they are missing. */
export async function listMissingOfBuilds(
  ctx: Context,
  gameId: string,
  buildIds: readonly string[],
): Promise<MissingOfBuilds[]> {
  const [anyBuild] = buildIds;
  if (anyBuild === undefined) return [];
  const counts = await countMissingOfBuilds(ctx.db, gameId, buildIds);
  const countOf = new Map(counts.map((count) => [count.module, count]));
  // Symbols of any build of the game serve, so it does not matter which build asks.
  const modules = await explainMissing(ctx, gameId, anyBuild, [...countOf.keys()]);
  return modules.map((module) => {
    const { crashes = 0, build_ids = [] } = countOf.get(keyOfMissing(module)) ?? {};
    return { ...module, crashes, build_ids };
  });
}

type MissingCount = { module: string; crashes: number; build_ids: string[] };

function countMissingOfBuilds(db: Db, gameId: string, buildIds: readonly string[]): Promise<MissingCount[]> {
  return rows(
    db,
    sql<MissingCount>`select module, count(*) as crashes, array_agg(distinct given.build_id) as build_ids
      from unnest(${buildIds}::uuid[]) as given (build_id) cross join lateral (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and crash_reports.build_id = given.build_id
        order by report_id desc limit ${REPORTS_OF_EACH}
      ) as newest, unnest(missing_symbols) as missing (module)
      group by module order by crashes desc, module limit ${MAX_MODULES}`,
  );
}
