// An upload session: a zip that arrives in chunks, which can be resumed after any interruption, also on another
// process.
//
// The row of a session says how many bytes are durable (`current_size`). It goes through these states:
//
// - Open and unlocked: the next chunk must begin at `current_size`. Any other chunk is answered with that number, from
//   which the client continues.
// - Open and locked: a chunk is arriving. The lock is a random token and the number of the process that receives the
//   chunk (kernel/processes/presence.ts). Bytes are written to the blob first. They count when one statement moves
//   `current_size` and releases the lock, under the condition that the token is still the same. A chunk that fails
//   leaves `current_size` as it was, and whatever it wrote is overwritten by the next one.
// - Finished (`finished_at`): the transaction of the last chunk has added the file and enqueued its scan. The session
//   stays until it expires, so a client that did not get the response can send the last chunk again and gets it then.
// - Gone: aborted, expired, refused as a whole (wrong checksum, invalid zip), or without its bytes, as after a restore.
//
// A lock can be stale in two ways. Its process may be dead: another one takes the lock over at once, as soon as the
// process no longer counts as alive. Or the connection of the sender may be dead, which a process only notices after a
// minute, while the client already tries again: a second request ends the first one if it has been silent for a few
// seconds. In both cases, the new token makes sure that bytes of the old request no longer count.
//
// The SHA-256 of the bytes is computed while they arrive, and is kept in memory between chunks. A process that
// continues the session of another has no hash, and reads the stored bytes once at the end (docs/adr/0002).

import { createHash, type Hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { Context, GameCaller } from '../../context.ts';
import { createRecent } from '../../kernel/collections/cache.ts';
import { isAlive } from '../../kernel/processes/presence.ts';
import { isUuid, newId } from '../../kernel/secrets/ids.ts';
import { perContext } from '../../request/per-context.ts';
import * as sessions from './uploads.sql.ts';

export type UploadSession = sessions.SessionRow;

/** Returns the game's session with this id. Throws `unknownSession` if it does not exist or has expired. */
export async function requireSession(ctx: Context, caller: GameCaller, sessionId: string): Promise<UploadSession> {
  const session = isUuid(sessionId) ? await sessions.findUploadSession(ctx.db, caller.gameId, sessionId) : undefined;
  // All of a finished session has arrived in time. A client can ask about it while its zip is composed.
  const isOver = session?.finished_at === null && session.expires_at <= ctx.clock.now();
  if (session === undefined || isOver) throw unknownSession();
  return session;
}

export function unknownSession(): ApiError {
  return errors.unknownSession('X-Upload-Session-ID: this session does not exist or has expired. Open a new session.');
}

/** A locked session. */
type Locked = {
  /** The row as it was when the lock was taken. */
  readonly session: UploadSession;
  readonly lock: sessions.Lock;
  /** Aborted when this process no longer counts as alive, so that others may take over the lock. */
  readonly lost: AbortSignal;
  /**
   * Releases the lock, if it is still held. Never rejects: while the database doesn't accept it, tries again in the
   * background, because no one else may take over the lock of a living process.
   */
  release(): Promise<void>;
};

const RELEASE_AGAIN_MS = 500;

/**
 * Locks the session for one chunk. The lock of a dead process is taken over immediately, the lock of a silent sender
 * after a few seconds. Throws `chunkUnderWay` while another chunk is arriving.
 */
export async function lockSession(ctx: Context, session: UploadSession): Promise<Locked> {
  const { processNo, lost } = ctx.presence.current();
  const lock = { token: newId(), processNo };
  const release = () => releaseLock(ctx, session, lock, lost);
  try {
    const locked = (await sessions.takeLock(ctx.db, session, lock, null)) ?? (await takeOver(ctx, session, lock));
    if (locked !== undefined) return { session: locked, lock, lost, release };
  } catch (error) {
    // The lock may have been taken even if the response was lost.
    if (!(error instanceof ApiError)) await release();
    throw error;
  }
  throw errors.chunkUnderWay(
    'Another chunk of this session is still uploading. Wait a moment and send this one again.',
    {
      data: { retry_after: 1 },
    },
  );
}

async function releaseLock(
  ctx: Context,
  session: UploadSession,
  lock: sessions.Lock,
  lost: AbortSignal,
): Promise<void> {
  const tryOnce = () =>
    sessions.releaseLock(ctx.db, session, lock).then(
      () => true,
      (err) => {
        ctx.log.warn(
          { err, game: session.game_id, session: session.session_id },
          'could not release an upload session',
        );
        return false;
      },
    );
  const tryAgain = async () => {
    do await wait(RELEASE_AGAIN_MS, undefined, { signal: lost, ref: false });
    while (!(await tryOnce()));
  };
  if (await tryOnce()) return;
  // The attempts end when the process loses its number, and the lock with it.
  tryAgain().catch(() => undefined);
}

async function takeOver(ctx: Context, session: UploadSession, lock: sessions.Lock): Promise<UploadSession | undefined> {
  const current = await sessions.findUploadSession(ctx.db, session.game_id, session.session_id);
  if (current === undefined || current.finished_at !== null) throw unknownSession();
  const { lock_token: token, lock_process: holder } = current;
  const isFree =
    token === null ||
    holder === null ||
    !(await isAlive(ctx.db, holder)) ||
    (await endStalledChunk(ctx, current.session_id));
  return isFree ? sessions.takeLock(ctx.db, session, lock, token) : undefined;
}

/** Deletes the session and its bytes. */
export async function dropSession(ctx: Context, session: UploadSession): Promise<void> {
  forgetHash(ctx, session.session_id);
  await ctx.blobs.delete(session.blob.key);
  await sessions.deleteUploadSession(ctx.db, session);
}

type ChunkUnderWay = {
  /** Aborted when another chunk replaces this one. */
  readonly signal: AbortSignal;
  /** Reports that bytes have arrived. */
  progress(): void;
  /** Reports that no more bytes of the chunk will be stored. */
  end(): void;
};

type Entry = { lastByteAt: number; abort: AbortController; ended: Promise<void> };

/** A sender that reconnects replaces its old connection once that has been silent this long. */
const STALLED_MS = 3000;

/** The chunk that this process is receiving for each session. */
const chunksOf = perContext(() => new Map<string, Entry>());

export function beginChunk(ctx: Context, sessionId: string): ChunkUnderWay {
  const chunks = chunksOf(ctx);
  const { promise, resolve } = Promise.withResolvers<void>();
  const entry: Entry = { lastByteAt: performance.now(), abort: new AbortController(), ended: promise };
  chunks.set(sessionId, entry);
  return {
    signal: entry.abort.signal,
    progress() {
      entry.lastByteAt = performance.now();
    },
    end() {
      if (chunks.get(sessionId) === entry) chunks.delete(sessionId);
      resolve();
    },
  };
}

/**
 * Ends the session's chunk if its sender has gone silent. Returns whether the chunk has ended and released the session.
 */
async function endStalledChunk(ctx: Context, sessionId: string): Promise<boolean> {
  const entry = chunksOf(ctx).get(sessionId);
  if (entry === undefined || performance.now() - entry.lastByteAt < STALLED_MS) return false;
  entry.abort.abort(takenOver());
  await entry.ended;
  return true;
}

export function takenOver(): ApiError {
  return errors.chunkUnderWay(
    'Another request has taken over this session. Send the chunk again to get the current_size.',
  );
}

/** A hash takes a few hundred bytes. The oldest is dropped first. */
const MAX_HASHES = 1000;

/** The hash of each session. `size` is the number of bytes hashed so far. */
const hashesOf = perContext(() => createRecent<string, { size: number; hash: Hash }>(MAX_HASHES));

/**
 * Returns a copy of the hash of the session's first `size` bytes, ready to be updated; null if this process has none.
 */
export function hashAt(ctx: Context, sessionId: string, size: number): Hash | null {
  if (size === 0) return createHash('sha256');
  const entry = hashesOf(ctx).get(sessionId);
  return entry?.size === size ? entry.hash.copy() : null;
}

/** Keeps the hash of the session's first `size` bytes. The caller must not update or digest it afterwards. */
export function rememberHash(ctx: Context, sessionId: string, size: number, hash: Hash): void {
  hashesOf(ctx).set(sessionId, { size, hash });
}

export function forgetHash(ctx: Context, sessionId: string): void {
  hashesOf(ctx).delete(sessionId);
}
