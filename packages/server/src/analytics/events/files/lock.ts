// Lets only one process at a time work on the files of a game.
import type { Context } from '../../../context.ts';
import { type Session, withSession } from '../../../kernel/database/db.ts';
import * as sql from './files.sql.ts';

/** Runs `work` with the lock on the files of the game. Does nothing if another process has it. */
export async function withFiles(
  { pool }: Context,
  gameId: string,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  await withSession(pool, async (session) => {
    if (!(await sql.tryLock(session.db, gameId))) return;
    await work(session);
    // The end of the session frees it as well, but only when the database notices.
    await sql.unlock(session.db, gameId);
  });
}
