// The SQL of beta members.
import { sql } from 'kysely';
import { changed, type Db, row, rows } from '../../kernel/database/db.ts';

export async function insertMember(db: Db, gameId: string, userId: string): Promise<void> {
  await changed(
    db,
    sql`insert into beta_members (game_id, user_id) values (${gameId}, ${userId}) on conflict do nothing`,
  );
}

/** Returns whether the user was a member. */
export async function deleteMember(db: Db, gameId: string, userId: string): Promise<boolean> {
  const deleted = await changed(db, sql`delete from beta_members where game_id = ${gameId} and user_id = ${userId}`);
  return deleted > 0;
}

export async function isMember(db: Db, gameId: string, userId: string): Promise<boolean> {
  return (
    (await row(db, sql`select 1 from beta_members where game_id = ${gameId} and user_id = ${userId}`)) !== undefined
  );
}

export type MemberRow = {
  user_id: string;
  name: string;
  joined_at: Date;
  /** Microseconds since 1970. */
  joined_us: string;
};
export type Position = { joinedUs: string; userId: string };

const joinedUs = sql`(extract(epoch from joined_at) * 1000000)::bigint`;

/** Members after the position `after`, most recent first. */
export function listMembers(
  db: Db,
  gameId: string,
  { after, limit }: { after: Position | null; limit: number },
): Promise<MemberRow[]> {
  const afterCursor =
    after === null
      ? sql`true`
      : sql`(joined_at, user_id) < (to_timestamp(0) + ${after.joinedUs}::bigint * interval '1 microsecond', ${after.userId})`;
  return rows(
    db,
    sql<MemberRow>`select user_id, users.name, joined_at, ${joinedUs}::text as joined_us
      from beta_members join users on users.id = user_id
      where game_id = ${gameId} and ${afterCursor} order by joined_at desc, user_id desc limit ${limit}`,
  );
}
