// Replaces the slug that a game's client sends with the game's uid. Slugs are cached for a few seconds, so reports and
// events rarely need a query for them.
import { SLUG_PATTERN } from '@chauffeur/contract/operations/fields';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { createRecent } from '../../kernel/collections/cache.ts';
import { type Db, rows } from '../../kernel/database/db.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';
import type { Ids } from '../../request/client-ids.ts';
import { perContext } from '../../request/per-context.ts';

/** How long other processes may not know yet that a slug leads to another game. */
const SLUG_MS = 10 * SECOND;
const MAX_SLUGS = 10_000;

const SLUG = new RegExp(SLUG_PATTERN);

type Entry = { readonly gameId: string; readonly isFormer: boolean; readonly at: number };

const slugsOf = perContext(() => createRecent<string, Entry>(MAX_SLUGS));

/** Replaces a slug with the uid of its game. An unknown slug is returned unchanged, for the caller to reject. */
export function resolveClientIds(ctx: Context, ids: Ids): Ids | Promise<Ids> {
  if (!SLUG.test(ids.appId)) return ids;
  return findGameIds(ctx, [ids.appId]).then((gameIds) => ({ ...ids, appId: gameIds.get(ids.appId) ?? ids.appId }));
}

/**
 * Returns the uids of games by their slugs, also former ones, with at most one query. Uids and unknown slugs are not in
 * the result.
 */
export async function findGameIds(ctx: Context, refs: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const entries = await findEntries(ctx, refs);
  return new Map([...entries].map(([slug, { gameId }]) => [slug, gameId]));
}

/** Whether the slug is a former one of a game. */
export async function isFormerSlug(ctx: Context, ref: string): Promise<boolean> {
  return (await findEntries(ctx, [ref])).get(ref)?.isFormer === true;
}

async function findEntries(ctx: Context, refs: Iterable<string>): Promise<ReadonlyMap<string, Entry>> {
  const slugs = slugsOf(ctx);
  const now = ctx.clock.now().getTime();
  const [found, uncached] = [new Map<string, Entry>(), new Set<string>()];
  for (const ref of refs) {
    if (isUuid(ref) || !SLUG.test(ref)) continue;
    const entry = slugs.get(ref);
    const age = now - (entry?.at ?? Number.NEGATIVE_INFINITY);
    if (entry !== undefined && age >= 0 && age < SLUG_MS) found.set(ref, entry);
    else uncached.add(ref);
  }
  if (uncached.size === 0) return found;
  for (const { slug, game_id: gameId, is_former: isFormer } of await findIdsOfSlugs(ctx.db, [...uncached])) {
    const entry = { gameId, isFormer, at: now };
    found.set(slug, entry);
    slugs.set(slug, entry);
  }
  return found;
}

/** Called when a game gets a new slug, so that neither its old nor its new slug leads to a wrong game. */
export function forgetSlugs(ctx: Context, slugs: readonly string[]): void {
  for (const slug of slugs) slugsOf(ctx).delete(slug);
}

type SlugRow = { game_id: string; slug: string; is_former: boolean };

/** The games with these slugs, also with former ones. */
function findIdsOfSlugs(db: Db, slugs: readonly string[]): Promise<SlugRow[]> {
  return rows(
    db,
    sql<SlugRow>`select game_id, game_slugs.slug, games.slug <> game_slugs.slug as is_former
      from game_slugs join games using (game_id) where game_slugs.slug = any(${slugs}::text[])`,
  );
}
