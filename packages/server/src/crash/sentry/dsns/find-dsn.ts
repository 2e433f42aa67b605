// Finds the game of a key that an SDK sends. Keys are cached for a few seconds, so that requests rarely need a query.
import type { Context } from '../../../context.ts';
import { MINUTE, SECOND } from '../../../kernel/clock.ts';
import { createRecent } from '../../../kernel/collections/cache.ts';
import { hashSecret } from '../../../kernel/secrets/ids.ts';
import { perContext } from '../../../request/per-context.ts';
import * as sql from './dsns.sql.ts';

/** How long other processes may still accept a key that was revoked. */
const KEY_MS = 10 * SECOND;
const MAX_KEYS = 10_000;
/** How often the last use of a DSN is written. */
const NOTE_MS = MINUTE;

export type FoundDsn = { readonly gameId: string; readonly dsnId: string; readonly name: string };

/** `found` is null for a key that leads nowhere. */
type Entry = { readonly found: sql.FoundDsn | null; readonly at: number };

const cachesOf = perContext(() => ({
  known: createRecent<string, Entry>(MAX_KEYS),
  // Guessed keys have a separate cache, so that they don't displace known ones.
  unknown: createRecent<string, Entry>(MAX_KEYS),
  /** When the last use of a DSN was written, by its id. */
  noted: createRecent<string, number>(MAX_KEYS),
}));

const KEY = /^[0-9a-f]{32}$/;

/**
 * The DSN with this number of a game and this key, also if the key is in capital letters. Undefined if there is none, it
 * was revoked, or its game was deleted.
 */
export async function findDsn(
  ctx: Context,
  { projectNo, key }: { readonly projectNo: number; readonly key: string },
): Promise<FoundDsn | undefined> {
  const found = await findByKey(ctx, key.toLowerCase());
  if (found === null || found.project_no !== projectNo) return undefined;
  noteUse(ctx, found);
  return { gameId: found.game_id, dsnId: found.dsn_id, name: found.name };
}

async function findByKey(ctx: Context, key: string): Promise<sql.FoundDsn | null> {
  if (!KEY.test(key)) return null;
  const { known, unknown } = cachesOf(ctx);
  const now = ctx.clock.now().getTime();
  const entry = known.get(key) ?? unknown.get(key);
  const age = now - (entry?.at ?? Number.NEGATIVE_INFINITY);
  if (entry !== undefined && age >= 0 && age < KEY_MS) return entry.found;
  const found = (await sql.findDsnByKey(ctx.db, hashSecret(key))) ?? null;
  forgetKey(ctx, key);
  (found === null ? unknown : known).set(key, { found, at: now });
  return found;
}

/** Whether the key was one of the project when this process last looked it up, for when it can't be looked up. */
export function wasKnown(
  ctx: Context,
  { projectNo, key }: { readonly projectNo: number; readonly key: string },
): boolean {
  return cachesOf(ctx).known.get(key)?.found?.project_no === projectNo;
}

/** Writes when the DSN was last used, at most once a minute. The request doesn't wait for it, nor fail with it. */
function noteUse(ctx: Context, found: sql.FoundDsn): void {
  const { noted } = cachesOf(ctx);
  const now = ctx.clock.now();
  const age = now.getTime() - (noted.get(found.dsn_id) ?? Number.NEGATIVE_INFINITY);
  if (age >= 0 && age < NOTE_MS) return;
  noted.set(found.dsn_id, now.getTime());
  sql.touchDsn(ctx.db, found, now).catch((err: unknown) => {
    noted.delete(found.dsn_id);
    ctx.log.warn({ err, game: found.game_id }, 'the last use of a DSN was not written');
  });
}

/** Called when a key is revoked or its DSN renamed, so that this process doesn't use what it knew. */
export function forgetKey(ctx: Context, key: string): void {
  const { known, unknown } = cachesOf(ctx);
  known.delete(key);
  unknown.delete(key);
}
