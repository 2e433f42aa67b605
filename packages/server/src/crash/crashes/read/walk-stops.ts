// Counts the modules that stopped the walks of a group's newest reports, and says what would help with each. The walks
// are stored; nothing is walked here.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashGroup } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, onlyRow } from '../../../kernel/database/db.ts';
import { findLookupStates } from '../../symbols/sources/request.ts';
import { findSymbols, type SymbolAnswer } from '../../symbols/symbols.ts';
import type { WalkStop } from '../process/walk-stops.ts';

type WalkStops = OutputOf<typeof getCrashGroup>['walk_stops'];
type StopModule = WalkStops['modules'][number];

type CountedModule = Omit<WalkStop, 'how'>;
export type CountedStops = {
  reports: number;
  /** The build of the newest report. */
  build_id: string | null;
  modules: { stop: CountedModule; reports: number; stopped: number }[];
};

const MAX_MODULES = 10;

/**
 * Counts the modules in the newest reports of these groups, which are one after merges. Each group is read by its index,
 * so that a group with a million reports takes no longer.
 */
export function countStops(db: Db, gameId: string, groupIds: readonly string[]): Promise<CountedStops> {
  return onlyRow(
    db,
    sql<CountedStops>`with newest as materialized (
        select newest.* from unnest(${groupIds}::uuid[]) as family (group_id) cross join lateral (
          select report_id, build_id, walk_stops from crash_reports
          where game_id = ${gameId} and crash_reports.group_id = family.group_id
          order by report_id desc limit ${LIMITS.walkStopReports}
        ) as newest order by report_id desc limit ${LIMITS.walkStopReports}
      ), counted as (
        select stop - 'how' as stop, count(*) as reports, count(*) filter (where stop ->> 'how' = 'stopped') as stopped
        from newest cross join lateral jsonb_array_elements(walk_stops) as stops (stop)
        group by stop - 'how' order by reports desc, (stop - 'how') ->> 'module' limit ${MAX_MODULES}
      )
      select (select count(*) from newest where walk_stops is not null) as reports,
        (select build_id from newest order by report_id desc limit 1) as build_id,
        coalesce((select json_agg(json_build_object('stop', stop, 'reports', reports, 'stopped', stopped)
          order by reports desc, stop ->> 'module') from counted), '[]') as modules`,
  );
}

/** Modules whose unwind data has arrived since are left out, because the reports are already being processed again. */
export async function explainStops(
  ctx: Context,
  gameId: string,
  { reports, build_id: buildId, modules }: CountedStops,
): Promise<WalkStops> {
  if (buildId === null || modules.length === 0) return { reports, modules: [] };
  const wanted = modules.map(({ stop: { debug_file: debugFile, debug_id: id } }) => ({
    debugFile,
    debugId: id,
    codeId: id,
  }));
  const [answers, lookups] = await Promise.all([
    findSymbols(ctx, gameId, buildId, wanted),
    findLookupStates(ctx, wanted),
  ]);
  const hasSources = (ctx.config.symbolSources ?? []).length > 0;
  return {
    reports,
    modules: modules.flatMap(({ stop: { cpu, ...module }, reports: count, stopped }, index) => {
      const remedy = explainStop({ ...module, cpu }, answers[index]!, { hasSources, lookup: lookups[index] ?? null });
      return remedy === null ? [] : [{ ...module, arch: cpu, reports: count, stopped, ...remedy }];
    }),
  };
}

type Remedy = Pick<StopModule, 'why' | 'help'>;
type Servers = { hasSources: boolean; lookup: 'waiting' | 'absent' | null };

/** Null if its unwind data is there or on its way, or nothing helps. */
export function explainStop(module: CountedModule, answer: SymbolAnswer, servers: Servers): Remedy | null {
  const { module: name, debug_id: id, own } = module;
  if (answer.state === 'pending' || (answer.state === 'compiled' && answer.hasUnwind)) return null;
  if (id === '') return own ? { why: 'no_id', help: NO_ID } : null;
  if (answer.state === 'unreadable')
    return { why: 'unreadable', help: `The uploaded file can't be read: ${answer.problem}` };
  if (answer.state === 'compiled') return { why: 'no_unwind_data', help: helpWithoutUnwind(module) };
  if (answer.why === 'wrong_debug_id')
    return {
      why: 'wrong_debug_id',
      help: `The uploaded file is another build of it, ${answer.uploadedDebugId}. Upload ${name} as players have it.`,
    };
  return own ? { why: 'never_uploaded', help: helpOfOwn(module) } : ofSystem(module, servers);
}

const NO_ID =
  'It was built without a debug ID, so nothing can be found for it. Link it with `-Wl,--build-id` (GCC, Clang) or `/DEBUG` (Visual Studio).';

/** Unwind data is in the program itself, except on 32-bit Windows, where it is in the PDB. */
function isInPdb({ os, cpu }: CountedModule): boolean {
  return isWindows(os) && cpu === 'x86';
}

function isWindows(os: string): boolean {
  return os === 'Windows NT';
}

function isApple(os: string): boolean {
  return os === 'Mac OS X' || os === 'iOS';
}

function helpWithoutUnwind(module: CountedModule): string {
  const { module: name, os, cpu } = module;
  if (isInPdb(module)) return 'Its symbols have no unwind data. Upload its PDB, which has it on x86.';
  if (isWindows(os))
    return `Its symbols have no unwind data: a PDB has none for ${cpu === 'arm64' ? 'arm64' : 'x64'}. Upload ${name} together with the PDB.`;
  return `Its symbols have no unwind data. Upload ${name} itself as well.`;
}

function helpOfOwn(module: CountedModule): string {
  const { module: name, os } = module;
  if (isInPdb(module)) return `Nothing was uploaded for it. Upload its PDB, which has the unwind data on x86.`;
  const whole = isWindows(os)
    ? 'With its PDB, its functions have names as well.'
    : isApple(os)
      ? 'With its dSYM, its functions have names as well.'
      : 'With its debug information, its functions have names as well.';
  return `Nothing was uploaded for it. Upload ${name} itself: its unwind data is enough. ${whole}`;
}

function ofSystem({ module: name }: CountedModule, { hasSources, lookup }: Servers): Remedy {
  const why = 'system_module';
  if (lookup === 'waiting')
    return {
      why,
      help: "It is part of the player's system. The symbol servers of this service are being asked for it.",
    };
  if (hasSources)
    return {
      why,
      help: `It is part of the player's system, and the symbol servers of this service don't have it. Upload ${name} of this version if you have it.`,
    };
  return {
    why,
    help: `It is part of the player's system. The operator of this service can name symbol servers in \`CHAUFFEUR_SYMBOL_SOURCES\`, or upload ${name} of this version.`,
  };
}
