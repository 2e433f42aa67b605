// Caches for a minute which builds exist, so most batches of events need no query for them.
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { perContext } from '../../../request/per-context.ts';
import type { Part } from './accept.ts';
import { findBuilds } from './lookup.sql.ts';

type BuildRef = Pick<Part, 'gameId' | 'buildId'>;

/**
 * For this long, events of a deleted build are still accepted. Events of a deleted game are refused by `writeBatch`.
 */
const CACHED_MS = MINUTE;
const MAX_BUILDS = 10_000;

/** When each build was last looked up successfully, the oldest first. */
const lookupTimes = perContext(() => new Map<string, number>());

/** The keys (see `keyOf`) of the builds that exist. */
export async function findExistingBuilds(ctx: Context, builds: readonly BuildRef[]): Promise<ReadonlySet<string>> {
  const times = lookupTimes(ctx);
  const now = ctx.clock.now().getTime();
  const [existing, unconfirmed] = [new Set<string>(), new Map<string, BuildRef>()];
  for (const build of builds) {
    const key = keyOf(build);
    const age = now - (times.get(key) ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < CACHED_MS) existing.add(key);
    else unconfirmed.set(key, build);
  }
  if (unconfirmed.size === 0) return existing;
  for (const key of unconfirmed.keys()) times.delete(key);
  for (const build of await findBuilds(ctx.db, [...unconfirmed.values()])) {
    existing.add(keyOf(build));
    times.set(keyOf(build), now);
  }
  for (const key of times.keys().take(Math.max(0, times.size - MAX_BUILDS))) times.delete(key);
  return existing;
}

/** Forgets the builds of deleted games. */
export function forgetGames(ctx: Context, gameIds: readonly string[]): void {
  const times = lookupTimes(ctx);
  for (const key of times.keys()) if (gameIds.some((gameId) => key.startsWith(`${gameId}/`))) times.delete(key);
}

export function keyOf({ gameId, buildId }: BuildRef): string {
  return `${gameId}/${buildId}`;
}
