// Finds an upload session, locks it while one of its chunks arrives, and deletes it.
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { Context, GameCaller } from '../../context.ts';
import { isAlive } from '../../kernel/processes/presence.ts';
import { isUuid, newId } from '../../kernel/secrets/ids.ts';
import { endStalledChunk } from './chunks-under-way.ts';
import { forgetHash } from './session-hashes.ts';
import * as sessions from './uploads.sql.ts';

export type Session = sessions.SessionRow;

/** Returns the game's session with this id. Throws `unknownSession` if there is none or it has expired. */
export async function requireSession(ctx: Context, caller: GameCaller, sessionId: string): Promise<Session> {
  const session = isUuid(sessionId) ? await sessions.findSession(ctx.db, caller.gameId, sessionId) : undefined;
  if (session === undefined || session.expires_at <= ctx.clock.now()) throw unknownSession();
  return session;
}

export function unknownSession(): ApiError {
  return errors.unknownSession('X-Upload-Session-ID: this session does not exist or has expired. Open a new session.');
}

/** A locked session. */
export type Locked = {
  /** Its row under the lock. */
  readonly session: Session;
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
export async function lockSession(ctx: Context, session: Session): Promise<Locked> {
  const { processNo, lost } = ctx.presence.current();
  const lock = { token: newId(), processNo };
  const release = () => releaseLock(ctx, session, lock, lost);
  try {
    const locked = (await sessions.takeLock(ctx.db, session, lock, null)) ?? (await takeOver(ctx, session, lock));
    if (locked !== undefined) return { session: locked, lock, lost, release };
  } catch (error) {
    // The lock may have been taken, and only the response lost.
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

async function releaseLock(ctx: Context, session: Session, lock: sessions.Lock, lost: AbortSignal): Promise<void> {
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
  // Ends when the process has lost its number, and the lock with it.
  tryAgain().catch(() => undefined);
}

async function takeOver(ctx: Context, session: Session, lock: sessions.Lock): Promise<Session | undefined> {
  const current = await sessions.findSession(ctx.db, session.game_id, session.session_id);
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
export async function dropSession(ctx: Context, session: Session): Promise<void> {
  forgetHash(ctx, session.session_id);
  await ctx.blobs.delete(session.blob.key);
  await sessions.deleteSession(ctx.db, session);
}
