// Requests look-ups at the symbol servers for modules that a report misses. Reports are public and can name any number of
// modules, so each module is looked up once for all games, and a game can only cause so many look-ups.
import { ApiError } from '@chauffeur/contract/errors';
import type { ModuleId } from '@chauffeur/minidump/symbols/module-symbols';
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { createRecent } from '../../../kernel/collections/cache.ts';
import { isMissingReference, transact } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { countUse } from '../../../kernel/limits/rate-limit.ts';
import { perContext } from '../../../request/per-context.ts';
import { nameOfSource } from '../../../symbol-sources.ts';
import { type LookupModule, lookupModuleOf } from './layouts.ts';
import * as lookups from './lookups.sql.ts';
import { isWorthLookup } from './schedule.ts';

/** Looks up everything that waits. The schedule is for what has to be tried again. */
export const lookUpJob = defineJob<object>('symbols:look-up', { attempts: 6, lane: 'outgoing', cron: '*/5 * * * *' });

/** A real stack needs fewer. */
const MAX_MODULES = 64;

/** When each module of each game was last requested: most reports miss the same ones. */
const recentOf = perContext(() => createRecent<string, number>(20_000));
const RECENT_MS = 10 * MINUTE;

/** Does nothing without symbol servers in the settings. Call it after the report is stored. */
export async function requestLookUps(ctx: Context, gameId: string, missing: readonly ModuleId[]): Promise<void> {
  const sources = ctx.config.symbolSources?.map(nameOfSource) ?? [];
  if (sources.length === 0) return;
  const now = ctx.clock.now();
  const recent = recentOf(ctx);
  const modules = new Map<string, LookupModule>();
  for (const id of missing) {
    const module = lookupModuleOf(id);
    const key = module === null ? null : keyOf(module);
    if (module === null || key === null || modules.size === MAX_MODULES) continue;
    const age = now.getTime() - (recent.get(`${gameId}/${key}`) ?? Number.NEGATIVE_INFINITY);
    if (age < 0 || age >= RECENT_MS) modules.set(key, module);
  }
  if (modules.size === 0) return;
  await request(ctx, gameId, modules, sources);
  for (const key of modules.keys()) recent.set(`${gameId}/${key}`, now.getTime());
}

/**
 * What the symbol servers say about each module, in order, by the name and id that a report lists; null if they aren't
 * asked.
 */
export async function findLookupStates(
  ctx: Context,
  modules: readonly { debugFile: string; debugId: string }[],
): Promise<('waiting' | 'absent' | null)[]> {
  if (ctx.config.symbolSources === undefined || modules.length === 0) return modules.map(() => null);
  const states = await lookups.readLookupStates(
    ctx.db,
    modules.map(({ debugFile, debugId: id }) => ({ debugFile, id })),
  );
  // What was found is compiled, or was deleted meanwhile.
  return states.map(({ state }) => (state === 'found' ? null : state));
}

async function request(
  ctx: Context,
  gameId: string,
  modules: ReadonlyMap<string, LookupModule>,
  sources: readonly string[],
): Promise<void> {
  const now = ctx.clock.now();
  const known = await lookups.findLookups(ctx.db, [...modules.values()]);
  const knownKeys = new Set(known.map(keyOfRow));
  const added = [...modules].filter(([key]) => !knownKeys.has(key)).map(([, module]) => module);
  const revived = known.filter((row) => isWorthLookup(row, sources, now)).map(({ lookup_id }) => lookup_id);
  if (added.length > 0 && !(await admit(ctx, gameId, added.length))) added.length = 0;
  await transact(ctx.db, async (tx) => {
    if (added.length > 0) await lookups.insertLookups(tx, added, now);
    if (revived.length > 0) await lookups.reviveLookups(tx, revived, now);
    await lookups.addWaitingGame(tx, gameId, [...modules.values()]);
    if (added.length > 0 || revived.length > 0) await addJob(tx, lookUpJob, {}, lookUpJob.task);
  }).catch((error) => {
    // The game was deleted meanwhile.
    if (!isMissingReference(error)) throw error;
  });
}

/** Without admission, a later report requests them. */
async function admit(ctx: Context, gameId: string, count: number): Promise<boolean> {
  const limit = { name: 'symbol look-ups', max: ctx.config.limitSymbolLookups, windowSeconds: 3600 } as const;
  try {
    await countUse(ctx, ctx.db, gameId, limit, count);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    ctx.log.info({ game: gameId, modules: count }, 'a game has reached its limit of symbol look-ups');
    return false;
  }
}

/** Identifies a module. Names are compared in lower case, as PostgreSQL does. */
function keyOf({ debugFile, debugId, codeFile, codeId }: LookupModule): string {
  return JSON.stringify([debugFile.toLowerCase(), debugId, codeFile.toLowerCase(), codeId]);
}

function keyOfRow(row: lookups.LookupRow): string {
  return keyOf(moduleOfRow(row));
}

export function moduleOfRow({ debug_file, debug_id, code_file, code_id }: lookups.LookupRow): LookupModule {
  return { debugFile: debug_file, debugId: debug_id, codeFile: code_file, codeId: code_id };
}
