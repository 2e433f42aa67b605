// The pass in the URL of a game: the id of a file that anyone can play, or a signed token for other files. It is in the
// path because the frame of a game has an opaque origin, which sends no cookies.
import { type ApiError, errors, isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { ANONYMOUS, type Context } from '../../context.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { createRecent, type Recent } from '../../kernel/collections/cache.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { findFile, findFileById, type GameFileRow, isOffered } from '../../ship/files/files.ts';
import { requireDownloadable } from '../store/store.ts';

export type Pass = { readonly pass: string; readonly expiresAt: Date | null };
/** The file that a pass opens; `isForAll` if anyone can play it. */
export type Opened = { readonly file: GameFileRow; readonly isForAll: boolean };

const keyOf = perContext(({ secret }) => deriveKey(secret, 'play'));

/** Issues a pass for a file that the caller may download. Throws `notPlayable` unless it belongs to a web build. */
export async function issuePass(ctx: Context, file: GameFileRow): Promise<Pass> {
  await requireWebBuild(ctx, file);
  if (await isForAll(ctx, file)) return { pass: file.file_id, expiresAt: null };
  const expiresAt = new Date(ctx.clock.now().getTime() + LIMITS.playSeconds * SECOND);
  const payload = Buffer.from([file.game_id, file.file_id, expiresAt.getTime()].join(' '));
  return { pass: signToken(keyOf(ctx), payload), expiresAt };
}

async function requireWebBuild(ctx: Context, file: GameFileRow): Promise<void> {
  const build = await findBuild(ctx.db, file.game_id, file.build_id);
  if (build?.os !== 'web') throw errors.notPlayable();
}

async function isForAll(ctx: Context, file: GameFileRow): Promise<boolean> {
  try {
    await requireDownloadable(ctx, ANONYMOUS, { uid: file.game_id, file_uid: file.file_id });
    return true;
  } catch (error) {
    if (isNotOffered(error)) return false;
    throw error;
  }
}

/** How long a check is reused. A game loads hundreds of files at once. */
const CACHE_MS = 10 * SECOND;
/**
 * How long players can continue to load files of a build after the next one goes live. Only the process that served
 * them before grants this, which is enough for a best effort.
 */
const GRACE_MS = 360 * MINUTE;
const MAX_PASSES = 10_000;

type CacheEntry = Opened & { readonly checkedAt: number; readonly offeredAt: number };

const cacheOf = perContext<Recent<string, CacheEntry>>(() => createRecent(MAX_PASSES));

/** Returns the file that the pass opens now. Throws `notFound`, `notOnChannel`, `notPlayable` and `notClean`. */
export async function openPass(ctx: Context, pass: string): Promise<Opened> {
  const cache = cacheOf(ctx);
  const cached = cache.get(pass);
  const now = ctx.clock.now().getTime();
  if (cached !== undefined && isWithin(CACHE_MS, cached.checkedAt, now)) return cached;
  try {
    const opened = isUuid(pass) ? await openForAll(ctx, pass) : await openSigned(ctx, pass);
    cache.set(pass, { ...opened, checkedAt: now, offeredAt: now });
    return opened;
  } catch (error) {
    const isSuperseded = isError(error, 'notOnChannel');
    if (cached === undefined || !isSuperseded || !isWithin(GRACE_MS, cached.offeredAt, now)) {
      cache.delete(pass);
      throw error;
    }
    cache.set(pass, { ...cached, checkedAt: now });
    return cached;
  }
}

/** A time after `now`, from while the clock was ahead, is not within the period. */
function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now - since < ms;
}

async function openForAll(ctx: Context, fileId: string): Promise<Opened> {
  const stored = await findFileById(ctx.db, fileId);
  if (stored === null) throw unknownPass();
  const { file } = await requireDownloadable(ctx, ANONYMOUS, { uid: stored.game_id, file_uid: fileId });
  await requireWebBuild(ctx, file);
  return { file, isForAll: true };
}

/** The player's access was checked when the pass was issued. Here the file only has to be still available. */
async function openSigned(ctx: Context, token: string): Promise<Opened> {
  const [gameId = '', fileId = '', end] = openToken(keyOf(ctx), token)?.toString().split(' ') ?? [];
  if (!isUuid(gameId) || !isUuid(fileId)) throw unknownPass();
  if (!isCurrent(Number(end), LIMITS.playSeconds * SECOND, ctx.clock.now())) throw unknownPass();
  const file = await findFile(ctx.db, gameId, fileId);
  if (file === null || !isOffered(file.scan_state)) throw unknownPass();
  return { file, isForAll: false };
}

function unknownPass(): ApiError {
  return errors.notFound('This game is not available, or the link has expired. Open the page of the game again.');
}

function isNotOffered(error: unknown): boolean {
  return isError(error, 'notFound', 'notOnChannel');
}
