// Finds an upload session, locks it while one of its chunks arrives, and drops it.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context, GameCaller } from '../../context.ts';
import { isUuid, newId } from '../../kernel/ids.ts';
import { isAlive } from '../../kernel/presence.ts';
import { endStalledChunk } from './chunks-under-way.ts';
import { forgetHash } from './session-hashes.ts';
import * as sessions from './uploads.sql.ts';

export type Session = sessions.SessionRow;

/** The game's session with this id. Throws 4045 when there is none or its time is over. */
export async function requireSession(ctx: Context, caller: GameCaller, sessionId: string): Promise<Session> {
  const session = isUuid(sessionId) ? await sessions.findSession(ctx.db, caller.gameId, sessionId) : undefined;
  if (session === undefined || session.expires_at <= ctx.clock.now()) throw unknownSession();
  return session;
}

export function unknownSession(): ApiError {
  return new ApiError(
    4045,
    'X-Upload-Session-ID: no open session has this id, or its time is over; open a new session.',
  );
}

/**
 * Locks the session for one chunk and answers its row as it is under the lock. A lock whose process died is taken over at
 * once, one whose sender has fallen silent after a moment. Throws 4047 while another chunk is arriving.
 */
export async function lockSession(
  ctx: Context,
  session: Session,
): Promise<{ session: Session; lock: sessions.Lock; lost: AbortSignal }> {
  const { processNo, lost } = ctx.presence.current();
  const lock = { token: newId(), processNo };
  const locked = (await sessions.takeLock(ctx.db, session, lock, null)) ?? (await takeOver(ctx, session, lock));
  if (locked !== undefined) return { session: locked, lock, lost };
  throw new ApiError(
    4047,
    'Another chunk of this session is still uploading; wait a moment, then send this one again.',
    {
      data: { retry_after: 1 },
    },
  );
}

async function takeOver(ctx: Context, session: Session, lock: sessions.Lock): Promise<Session | undefined> {
  const held = await sessions.findSession(ctx.db, session.game_id, session.session_id);
  if (held === undefined || held.finished_at !== null) throw unknownSession();
  const { lock_token: token, lock_process: holder } = held;
  const free =
    token === null || holder === null || !(await isAlive(ctx.db, holder)) || (await endStalledChunk(held.session_id));
  return free ? sessions.takeLock(ctx.db, session, lock, token) : undefined;
}

/** Removes the session and its bytes. */
export async function dropSession(ctx: Context, session: Session): Promise<void> {
  forgetHash(session.session_id);
  await ctx.blobs.delete(session.blob.key);
  await sessions.deleteSession(ctx.db, session);
}
