// The SQL of accounts for operators.
import { sql } from 'kysely';
import { changed, type Db, row, rows } from '../../kernel/database/db.ts';

export type UserRow = {
  user_id: string;
  name: string;
  email: string;
  verified: boolean;
  operator: boolean;
  disabled_at: Date | null;
  second_factor: boolean;
  games: number;
  sessions: number;
  created_at: Date;
};

const columns = sql`id as user_id, name, email, email_verified as verified, operator, created_at, disabled_at,
  two_factor_enabled or exists (select from user_passkeys where user_id = users.id) as second_factor,
  (select count(*) from games where owner_id = users.id) as games,
  (select count(*) from user_sessions where user_id = users.id and expires_at > now()) as sessions`;

/** Newest first, because ids start with their creation time. */
export function listUsers(
  db: Db,
  search: string | null,
  { before, limit }: { before: string | null; limit: number },
): Promise<UserRow[]> {
  return rows(
    db,
    sql<UserRow>`select ${columns} from users
      where (${before}::text is null or id < ${before})
        and (${search}::text is null or position(lower(${search}) in lower(name || ' ' || email)) > 0)
      order by id desc limit ${limit}`,
  );
}

export function findUser(db: Db, userId: string): Promise<UserRow | undefined> {
  return row(db, sql<UserRow>`select ${columns} from users where id = ${userId}`);
}

export async function markVerified(db: Db, userId: string): Promise<void> {
  await changed(db, sql`update users set email_verified = true, updated_at = now() where id = ${userId}`);
}

export async function endSessions(db: Db, userId: string): Promise<void> {
  await changed(db, sql`delete from user_sessions where user_id = ${userId}`);
}
