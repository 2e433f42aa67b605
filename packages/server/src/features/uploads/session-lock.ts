// Finds an upload session, locks it while one of its chunks arrives, and deletes it.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context, GameCaller } from '../../context.ts';
import { isAlive } from '../../kernel/processes/presence.ts';
import { isUuid, newId } from '../../kernel/secrets/ids.ts';
import { endStalledChunk } from './chunks-under-way.ts';
import { forgetHash } from './session-hashes.ts';
import * as sessions from './uploads.sql.ts';

export type Session = sessions.SessionRow;

/** Returns the game's session with this id. Throws 4045 if there is none or it has expired. */
export async function requireSession(ctx: Context, caller: GameCaller, sessionId: string): Promise<Session> {
  const session = isUuid(sessionId) ? await sessions.findSession(ctx.db, caller.gameId, sessionId) : undefined;
  if (session === undefined || session.expires_at <= ctx.clock.now()) throw unknownSession();
  return session;
}

export function unknownSession(): ApiError {
  return new ApiError(4045, 'X-Upload-Session-ID: this session does not exist or has expired. Open a new session.');
}

/**
 * Locks the session for one chunk and returns its row under the lock. The lock of a dead process is taken over
 * immediately, the lock of a silent sender after a few seconds. Throws 4047 while another chunk is arriving.
 */
export async function lockSession(
  ctx: Context,
  session: Session,
): Promise<{ session: Session; lock: sessions.Lock; lost: AbortSignal }> {
  const { processNo, lost } = ctx.presence.current();
  const lock = { token: newId(), processNo };
  const locked = (await sessions.takeLock(ctx.db, session, lock, null)) ?? (await takeOver(ctx, session, lock));
  if (locked !== undefined) return { session: locked, lock, lost };
  throw new ApiError(4047, 'Another chunk of this session is still uploading. Wait a moment and send this one again.', {
    data: { retry_after: 1 },
  });
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
