// Replaces the slug that a game's client sends with the game's uid. Slugs are remembered for a few seconds, so that reports and events
// rarely cost a query for it.
import { SLUG_PATTERN } from '@chauffeur/contract/operations/fields';
import type { Context } from '../../context.ts';
import type { Ids } from '../../kernel/client-ids.ts';
import { SECOND } from '../../kernel/clock.ts';
import { isUuid } from '../../kernel/ids.ts';
import { perContext } from '../../kernel/per-context.ts';
import { createRecent } from '../../kernel/recent.ts';
import { findIdsOfSlugs } from './games.sql.ts';

/** How long a process that did not rename the game itself may still use the old slug. */
const SLUG_MS = 10 * SECOND;
const MAX_SLUGS = 10_000;

const SLUG = new RegExp(SLUG_PATTERN);

const slugsOf = perContext(() => createRecent<string, { gameId: string; at: number }>(MAX_SLUGS));

/** The ids with the uid in place of a slug. What names no game stays as it is, for the caller to refuse. */
export function resolveClientIds(ctx: Context, ids: Ids): Ids | Promise<Ids> {
  if (!SLUG.test(ids.appId)) return ids;
  return findGameIds(ctx, [ids.appId]).then((gameIds) => ({ ...ids, appId: gameIds.get(ids.appId) ?? ids.appId }));
}

/** The uids of games by their slugs, after at most one query. Uids, and what is no slug of a game, are not in the answer. */
export async function findGameIds(ctx: Context, refs: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const slugs = slugsOf(ctx);
  const now = ctx.clock.now().getTime();
  const [gameIds, unknown] = [new Map<string, string>(), new Set<string>()];
  for (const ref of refs) {
    if (isUuid(ref) || !SLUG.test(ref)) continue;
    const entry = slugs.get(ref);
    const age = now - (entry?.at ?? Number.NEGATIVE_INFINITY);
    if (entry !== undefined && age >= 0 && age < SLUG_MS) gameIds.set(ref, entry.gameId);
    else unknown.add(ref);
  }
  if (unknown.size === 0) return gameIds;
  for (const { slug, game_id: gameId } of await findIdsOfSlugs(ctx.db, [...unknown])) {
    gameIds.set(slug, gameId);
    slugs.set(slug, { gameId, at: now });
  }
  return gameIds;
}

/** To be called when a game gets a slug: neither the old nor the new one may lead to the game that had it before. */
export function forgetSlugs(ctx: Context, slugs: readonly string[]): void {
  for (const slug of slugs) slugsOf(ctx).delete(slug);
}
