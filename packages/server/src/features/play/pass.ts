// What stands in the address of a game that is played: the id of a file that anyone may play, or a signed word for one that not everyone may.
// It is in the path and no cookie, since the frame of a game has an origin that sends none.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Caller, Context } from '../../context.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { isUuid } from '../../kernel/ids.ts';
import { perContext } from '../../kernel/per-context.ts';
import { createRecent, type Recent } from '../../kernel/recent.ts';
import { deriveKey, openToken, signToken } from '../../kernel/signed-token.ts';
import { findBuild } from '../builds/builds.ts';
import { type FileRow, findFile, findFileById, isOffered } from '../files/files.ts';
import { requireDownloadable } from '../store/store.ts';

export type Pass = { readonly pass: string; readonly expiresAt: Date | null };
/** What a pass opens. */
export type Opened = { readonly file: FileRow; readonly isForAll: boolean };

const keyOf = perContext(({ secret }) => deriveKey(secret, 'play'));

const ANYONE: Caller = { kind: 'anonymous' };

/** A pass for a file that its caller may download. Throws 4092 where it is of no web build. */
export async function issuePass(ctx: Context, file: FileRow): Promise<Pass> {
  await requireWebBuild(ctx, file);
  if (await isForAll(ctx, file)) return { pass: file.file_id, expiresAt: null };
  const expiresAt = new Date(ctx.clock.now().getTime() + LIMITS.playSeconds * SECOND);
  const payload = Buffer.from([file.game_id, file.file_id, expiresAt.getTime()].join(' '));
  return { pass: signToken(keyOf(ctx), payload), expiresAt };
}

async function requireWebBuild(ctx: Context, file: FileRow): Promise<void> {
  const build = await findBuild(ctx.db, file.game_id, file.build_id);
  if (build?.os !== 'web') throw new ApiError(4092);
}

async function isForAll(ctx: Context, file: FileRow): Promise<boolean> {
  try {
    await requireDownloadable(ctx, ANYONE, { uid: file.game_id, file_uid: file.file_id });
    return true;
  } catch (error) {
    if (isNotOffered(error)) return false;
    throw error;
  }
}

/** A game loads its files by the hundred: for so long, what was found out for one of them holds for the others. */
const KNOWN_MS = 10 * SECOND;
/**
 * A player who is in the midst of a game when the next build goes live still gets the levels of the one that they play. It holds in the process
 * that served them before, which is enough for a courtesy.
 */
const GRACE_MS = 360 * MINUTE;
const MOST_PASSES = 10_000;

type Known = Opened & { readonly checkedAt: number; readonly offeredAt: number };

const knownOf = perContext<Recent<string, Known>>(() => createRecent(MOST_PASSES));

/** The file that the pass opens now. Throws 4040, 4074, 4092 and 4099. */
export async function openPass(ctx: Context, pass: string): Promise<Opened> {
  const all = knownOf(ctx);
  const known = all.get(pass);
  const now = ctx.clock.now().getTime();
  if (known !== undefined && now - known.checkedAt < KNOWN_MS) return known;
  try {
    const opened = isUuid(pass) ? await openForAll(ctx, pass) : await openSigned(ctx, pass);
    all.set(pass, { ...opened, checkedAt: now, offeredAt: now });
    return opened;
  } catch (error) {
    const isSuperseded = error instanceof ApiError && error.code === 4074;
    if (known === undefined || !isSuperseded || now - known.offeredAt > GRACE_MS) {
      all.delete(pass);
      throw error;
    }
    all.set(pass, { ...known, checkedAt: now });
    return known;
  }
}

async function openForAll(ctx: Context, fileId: string): Promise<Opened> {
  const found = await findFileById(ctx.db, fileId);
  if (found === null) throw unknownPass();
  const { file } = await requireDownloadable(ctx, ANYONE, { uid: found.game_id, file_uid: fileId });
  await requireWebBuild(ctx, file);
  return { file, isForAll: true };
}

/** Whether its holder may have the file was asked when the pass was issued; here, whether it is still one to be had. */
async function openSigned(ctx: Context, token: string): Promise<Opened> {
  const [gameId = '', fileId = '', end] = openToken(keyOf(ctx), token)?.toString().split(' ') ?? [];
  if (!isUuid(gameId) || !isUuid(fileId) || !(Number(end) > ctx.clock.now().getTime())) throw unknownPass();
  const file = await findFile(ctx.db, gameId, fileId);
  if (file === null || !isOffered(file.scan_state)) throw unknownPass();
  return { file, isForAll: false };
}

function unknownPass(): ApiError {
  return new ApiError(4040, 'There is no such build to play, or its time was over; open the game’s page again.');
}

function isNotOffered(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 4040 || error.code === 4074);
}
