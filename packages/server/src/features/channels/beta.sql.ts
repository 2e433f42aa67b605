// The SQL of beta members.
import { sql } from 'kysely';
import { changed, type Db, row } from '../../kernel/db.ts';

export async function insertMember(db: Db, gameId: string, userId: string): Promise<void> {
  await changed(
    db,
    sql`insert into beta_members (game_id, user_id) values (${gameId}, ${userId}) on conflict do nothing`,
  );
}

export async function deleteMember(db: Db, gameId: string, userId: string): Promise<void> {
  await changed(db, sql`delete from beta_members where game_id = ${gameId} and user_id = ${userId}`);
}

export async function isMember(db: Db, gameId: string, userId: string): Promise<boolean> {
  return (
    (await row(db, sql`select 1 from beta_members where game_id = ${gameId} and user_id = ${userId}`)) !== undefined
  );
}
