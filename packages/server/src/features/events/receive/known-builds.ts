// Which builds there are, remembered for a minute by each process, so that events look nothing up.
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { perContext } from '../../../kernel/per-context.ts';
import type { Part } from './accept.ts';
import { findBuilds } from './lookup.sql.ts';

type BuildRef = Pick<Part, 'gameId' | 'buildId'>;

/** For so long events of a build that is gone are still taken; the sweep removes them. */
const KNOWN_MS = MINUTE;
const MOST_KNOWN = 10_000;

/** When each build was found, those found longest ago first. */
const foundOf = perContext(() => new Map<string, number>());

/** Tells which of the builds there are, by `keyOf`, after at most one query. */
export async function knowBuilds(ctx: Context, builds: readonly BuildRef[]): Promise<ReadonlySet<string>> {
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
