// Replaces the slug that a game's client sends with the game's uid. Slugs are cached for a few seconds, so reports and
// events rarely need a query for them.
import { SLUG_PATTERN } from '@chauffeur/contract/operations/fields';
import type { Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { createRecent } from '../../kernel/collections/recent.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';
import type { Ids } from '../../request/client-ids.ts';
import { perContext } from '../../request/per-context.ts';
import { findIdsOfSlugs } from './games.sql.ts';

/** How long other processes may still use the old slug of a renamed game. */
const SLUG_MS = 10 * SECOND;
const MAX_SLUGS = 10_000;

const SLUG = new RegExp(SLUG_PATTERN);

const slugsOf = perContext(() => createRecent<string, { gameId: string; at: number }>(MAX_SLUGS));

/** Replaces a slug with the uid of its game. An unknown slug is returned unchanged, for the caller to reject. */
export function resolveClientIds(ctx: Context, ids: Ids): Ids | Promise<Ids> {
  if (!SLUG.test(ids.appId)) return ids;
  return findGameIds(ctx, [ids.appId]).then((gameIds) => ({ ...ids, appId: gameIds.get(ids.appId) ?? ids.appId }));
}

/** Returns the uids of games by their slugs, with at most one query. Uids and unknown slugs are not in the result. */
export async function findGameIds(ctx: Context, refs: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const slugs = slugsOf(ctx);
  const now = ctx.clock.now().getTime();
  const [gameIds, uncached] = [new Map<string, string>(), new Set<string>()];
  for (const ref of refs) {
    if (isUuid(ref) || !SLUG.test(ref)) continue;
    const entry = slugs.get(ref);
    const age = now - (entry?.at ?? Number.NEGATIVE_INFINITY);
    if (entry !== undefined && age >= 0 && age < SLUG_MS) gameIds.set(ref, entry.gameId);
    else uncached.add(ref);
  }
  if (uncached.size === 0) return gameIds;
  for (const { slug, game_id: gameId } of await findIdsOfSlugs(ctx.db, [...uncached])) {
    gameIds.set(slug, gameId);
    slugs.set(slug, { gameId, at: now });
  }
  return gameIds;
}

/** Called when a game gets a new slug, so that neither its old nor its new slug leads to a wrong game. */
export function forgetSlugs(ctx: Context, slugs: readonly string[]): void {
  for (const slug of slugs) slugsOf(ctx).delete(slug);
}
