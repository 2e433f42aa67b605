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
  const modules = missing.map(readModule);
  const [answers, lookups] = await Promise.all([
    findSymbols(ctx, gameId, buildId, modules),
    findLookupStates(ctx, modules),
  ]);
  return modules.flatMap(({ debugFile, debugId }, index) => {
    const lookup = lookups[index] ?? null;
    const why = explain(answers[index]!, lookup);
    return why === null ? [] : [{ module: debugFile, debug_id: debugId, ...why, lookup }];
  });
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
        crashes: counts.get(`${module.module}/${module.debug_id}`) ?? 0,
      })),
    };
  },
);

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
    const { crashes = 0, build_ids = [] } = countOf.get(`${module.module}/${module.debug_id}`) ?? {};
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
