// Finds symbols from symbol servers for modules that have none in their game.
import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import type { ModuleIdentity } from '@chauffeur/minidump/symbols/module-identity';
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { findSystemModules, touchSystemSymbols } from './system-symbols.sql.ts';

export type CompileSystemPayload = { symbolId: string };

/** With delays of e^n seconds, the attempts cover an outage of about a day. */
export const compileSystemJob = defineJob<CompileSystemPayload>('symbols:compile-system', {
  attempts: 12,
  lane: 'long',
});

/** A pending job is not duplicated. */
export function enqueueSystemCompile(db: Db, symbolId: string): Promise<void> {
  return addJob(db, compileSystemJob, { symbolId }, `${compileSystemJob.task}/${symbolId}`);
}

export type SystemAnswer =
  | {
      readonly state: 'compiled';
      readonly cacheKey: string;
      readonly cacheSize: number;
      /** A server has all of a module in one file. */
      readonly unwindKey: null;
      readonly isPartial: false;
      readonly hasUnwind: true;
    }
  /** Not compiled yet. */
  | { readonly state: 'pending'; readonly ofServer: true };

/** Returns the symbols of each module, in order; null for a module that has none. */
export async function findSystemSymbols(
  ctx: Context,
  modules: readonly ModuleIdentity[],
): Promise<(SystemAnswer | null)[]> {
  if (ctx.config.symbolSources === undefined || modules.length === 0) return modules.map(() => null);
  const found = await findSystemModules(ctx.db, modules);
  const now = ctx.clock.now();
  // Usually none: each is noted once an hour.
  const stale = found.flatMap(({ symbol_id: id, used_at: usedAt }) =>
    id !== null && usedAt !== null && now.getTime() - usedAt.getTime() > HOUR ? [id] : [],
  );
  if (stale.length > 0) await touchSystemSymbols(ctx.db, stale, now);
  for (const { symbol_id: id, cache_version: version } of found)
    if (id !== null && version !== null && version !== CACHE_VERSION) await enqueueSystemCompile(ctx.db, id);
  return found.map(({ symbol_id: id, cache_key: cacheKey, cache_size: cacheSize, cache_version: version }) => {
    if (id === null) return null;
    if (cacheKey === null || cacheSize === null || version !== CACHE_VERSION)
      return { state: 'pending', ofServer: true };
    return { state: 'compiled', cacheKey, cacheSize, unwindKey: null, isPartial: false, hasUnwind: true };
  });
}
