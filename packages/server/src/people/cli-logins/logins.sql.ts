// The SQL of the logins of the command.
import { sql } from 'kysely';
import type { User } from '../../context.ts';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type LoginGame = { game_uid: string; slug: string; name: string };

export type LoginRow = {
  login_id: string;
  key_ref: string;
  host: string;
  os: string;
  game: LoginGame | null;
  created_at: Date;
  last_used_at: Date;
};

/** An active login with the person it acts for. */
export type FoundLogin = {
  login_id: string;
  key_ref: string;
  game_id: string | null;
  sign_in_method: string | null;
  user: User;
  /** Whether its last use was recorded so long ago that it should be recorded again. */
  stale: boolean;
};

type NewLogin = {
  loginId: string;
  userId: string;
  keyRef: string;
  keyHash: Buffer;
  host: string;
  os: string;
  gameId: string | null;
  /** How the session was started in which it was approved. */
  signInMethod: string | null;
  now: Date;
};

/** The time before which the last use makes a login expired, and the current time. */
export type Times = { now: Date; usedAfter: Date };

const isActive = ({ usedAfter }: Times) => sql`revoked_at is null and last_used_at > ${usedAfter}`;

/** Blocks other transactions that add logins of the person until the transaction ends. */
export async function lockLogins(tx: Tx, userId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`cli_logins/${userId}`}, 0))`);
}

export async function countLogins(db: Db, userId: string, times: Times): Promise<number> {
  const { active } = await onlyRow(
    db,
    sql<{ active: number }>`select count(*) as active from cli_logins where user_id = ${userId} and ${isActive(times)}`,
  );
  return active;
}

export async function insertLogin(tx: Tx, login: NewLogin): Promise<void> {
  const { loginId, userId, keyRef, keyHash, host, os, gameId, signInMethod, now } = login;
  await changed(
    tx,
    sql`insert into cli_logins (login_id, user_id, key_ref, key_hash, host, os, game_id, sign_in_method, created_at, last_used_at)
      values (${loginId}, ${userId}, ${keyRef}, ${keyHash}, ${host}, ${os}, ${gameId}, ${signInMethod}, ${now}, ${now})`,
  );
}

/** The name of the person, and the game of the login; undefined if the account was deleted. */
export function describeLogin(
  db: Db,
  userId: string,
  gameId: string | null,
): Promise<{ user: string; game: LoginGame | null } | undefined> {
  return row(
    db,
    sql<{ user: string; game: LoginGame | null }>`select users.name as user,
        (select jsonb_build_object('game_uid', game_id, 'slug', slug, 'name', games.name) from games
          where game_id = ${gameId}) as game
      from users where id = ${userId}`,
  );
}

/** Active logins, newest first. Logins for a deleted game are not listed. */
export function listLogins(db: Db, userId: string, times: Times): Promise<LoginRow[]> {
  return rows(
    db,
    sql<LoginRow>`select login_id, key_ref, host, os, cli_logins.created_at, last_used_at,
        case when games.game_id is not null then
          jsonb_build_object('game_uid', games.game_id, 'slug', slug, 'name', games.name) end as game
      from cli_logins left join games on games.game_id = cli_logins.game_id
      where user_id = ${userId} and ${isActive(times)} and (cli_logins.game_id is null or games.game_id is not null)
      order by login_id desc`,
  );
}

/** Undefined for an unknown, expired or revoked login. */
export function findLogin(db: Db, keyHash: Buffer, times: Times): Promise<FoundLogin | undefined> {
  return row(
    db,
    sql<FoundLogin>`select login_id, key_ref, game_id, sign_in_method,
        jsonb_build_object('id', users.id, 'name', users.name, 'email', users.email, 'emailVerified', users.email_verified) as user,
        last_used_at < ${times.now}::timestamptz - interval '1 minute' as stale
      from cli_logins join users on users.id = user_id and users.disabled_at is null where key_hash = ${keyHash} and ${isActive(times)}`,
  );
}

/** Once a minute is exact enough and avoids a write for each chunk. */
export async function touchLogin(db: Db, loginId: string, now: Date): Promise<void> {
  await changed(db, sql`update cli_logins set last_used_at = ${now} where login_id = ${loginId}`);
}

type Selection = { loginId: string; userId: string } | { keyHash: Buffer } | { keyRef: string } | { userId: string };

function conditionOf(selection: Selection) {
  if ('keyHash' in selection) return sql`key_hash = ${selection.keyHash}`;
  if ('keyRef' in selection) return sql`key_ref = ${selection.keyRef}`;
  const ofUser = sql`user_id = ${selection.userId}`;
  return 'loginId' in selection ? sql`${ofUser} and login_id = ${selection.loginId}` : ofUser;
}

/** Returns how many were active. */
export function revokeLogins(db: Db, selection: Selection, times: Times): Promise<number> {
  return changed(
    db,
    sql`update cli_logins set revoked_at = ${times.now} where ${conditionOf(selection)} and ${isActive(times)}`,
  );
}

/** Deletes logins that were revoked, or used for the last time, before these times. */
export function forgetLogins(db: Db, { revoked, used }: { revoked: Date; used: Date }): Promise<number> {
  return changed(db, sql`delete from cli_logins where revoked_at < ${revoked} or last_used_at < ${used}`);
}
