// Which builds there are, remembered for a minute by each process, so that events look nothing up.
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { perContext } from '../../../kernel/per-context.ts';
import type { Part } from './accept.ts';
import { findBuilds, findDeletedGames } from './lookup.sql.ts';

type BuildRef = Pick<Part, 'gameId' | 'buildId'>;

/** For so long events of a build that is gone are still taken, unless its game is deleted. */
const KNOWN_MS = MINUTE;
const MOST_KNOWN = 10_000;

/** When each build was found, those found longest ago first. */
const foundOf = perContext(() => new Map<string, number>());

/**
 * Which of the builds exist, by `keyOf`. Whether their games are deleted is asked each time, in one small query: a deleted game takes nothing from
 * that moment on, whatever this process remembers.
 */
export async function knowBuilds(ctx: Context, builds: readonly BuildRef[]): Promise<ReadonlySet<string>> {
  const [known, deleted] = await Promise.all([recallBuilds(ctx, builds), findDeletedGames(ctx.db)]);
  if (deleted.size === 0) return known;
  return new Set(builds.filter((build) => known.has(keyOf(build)) && !deleted.has(build.gameId)).map(keyOf));
}

async function recallBuilds(ctx: Context, builds: readonly BuildRef[]): Promise<ReadonlySet<string>> {
  const found = foundOf(ctx);
  const now = ctx.clock.now().getTime();
  const [known, unknown] = [new Set<string>(), new Map<string, BuildRef>()];
  for (const build of builds) {
    const key = keyOf(build);
    const age = now - (found.get(key) ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < KNOWN_MS) known.add(key);
    else unknown.set(key, build);
  }
  if (unknown.size === 0) return known;
  for (const key of unknown.keys()) found.delete(key);
  for (const build of await findBuilds(ctx.db, [...unknown.values()])) {
    known.add(keyOf(build));
    found.set(keyOf(build), now);
  }
  for (const key of found.keys().take(Math.max(0, found.size - MOST_KNOWN))) found.delete(key);
  return known;
}

export function keyOf({ gameId, buildId }: BuildRef): string {
  return `${gameId}/${buildId}`;
}
