// The SQL of personal keys.
import { sql } from 'kysely';
import type { User } from '../../context.ts';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type AgentKeyRow = {
  key_id: string;
  key_ref: string;
  name: string;
  may_write: boolean;
  game: { game_uid: string; slug: string; name: string } | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

/** A key or connection that works now, with the person it acts for. */
export type AgentRow = {
  agent_id: string;
  name: string;
  may_write: boolean;
  game_id: string | null;
  /** How the person signed in to the session in which it was created. */
  sign_in_method: string | null;
  user: User;
  /** Whether the time of its last use is so old that it should be updated. */
  stale: boolean;
};

export type NewKey = {
  keyId: string;
  userId: string;
  keyRef: string;
  tokenHash: Buffer;
  name: string;
  mayWrite: boolean;
  gameId: string | null;
  signInMethod: string | null;
  createdAt: Date;
  expiresAt: Date | null;
};

/** Whether the time of the last use is older than a minute. That is exact enough, and avoids a write for each call. */
export const isStale = (now: Date) =>
  sql`last_used_at is null or last_used_at < ${now}::timestamptz - interval '1 minute'`;

export const userOfAgent = sql`jsonb_build_object('id', users.id, 'name', users.name, 'email', users.email, 'emailVerified', users.email_verified)`;

/** The game that an agent is limited to, as JSON. */
export const gameOfAgent = sql`(select jsonb_build_object('game_uid', games.game_id, 'slug', games.slug, 'name', games.name)
  from games where games.game_id = agents.game_id)`;

const columns = sql`key_id, key_ref, name, may_write, ${gameOfAgent} as game, created_at, expires_at, last_used_at, revoked_at`;

/**
 * Counts active keys without a lock, so concurrent requests can exceed the limit slightly. It only keeps lists short.
 */
export async function countLiveKeys(db: Db, userId: string, now: Date): Promise<number> {
  const { live } = await onlyRow(
    db,
    sql<{ live: number }>`select count(*) as live from agent_keys
      where user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
  );
  return live;
}

export function insertAgentKey(db: Db, key: NewKey): Promise<AgentKeyRow> {
  return onlyRow(
    db,
    sql<AgentKeyRow>`insert into agent_keys as agents
        (key_id, user_id, key_ref, token_hash, name, may_write, game_id, sign_in_method, created_at,
          expires_at)
      values (${key.keyId}, ${key.userId}, ${key.keyRef}, ${key.tokenHash}, ${key.name}, ${key.mayWrite}, ${key.gameId},
        ${key.signInMethod}, ${key.createdAt}, ${key.expiresAt}) returning ${columns}`,
  );
}

/** Keys after `before`, newest first. */
export function listAgentKeyRows(
  db: Db,
  userId: string,
  page: { before: string | null; limit: number },
): Promise<AgentKeyRow[]> {
  return rows(
    db,
    sql<AgentKeyRow>`select ${columns} from agent_keys as agents
      where user_id = ${userId} and (${page.before}::uuid is null or key_id < ${page.before})
      order by key_id desc limit ${page.limit}`,
  );
}

/** Undefined if the person has no such key. A revoked key keeps the time of its revocation. */
export function revokeKey(db: Db, userId: string, keyId: string, now: Date): Promise<AgentKeyRow | undefined> {
  return row(
    db,
    sql<AgentKeyRow>`update agent_keys as agents set revoked_at = coalesce(revoked_at, ${now})
      where user_id = ${userId} and key_id = ${keyId} returning ${columns}`,
  );
}

/** Returns how many were active. */
export function revokeKeysOf(db: Db, userId: string, now: Date): Promise<number> {
  return changed(
    db,
    sql`update agent_keys set revoked_at = ${now}
      where user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
  );
}

/** Revokes the active keys that begin like this. Returns how many there were. */
export function revokeKeysByRef(tx: Tx, ref: string, now: Date): Promise<number> {
  return changed(
    tx,
    sql`update agent_keys set revoked_at = ${now}
      where key_ref = ${ref} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
  );
}

export function findAgentKey(db: Db, tokenHash: Buffer, now: Date): Promise<AgentRow | undefined> {
  return row(
    db,
    sql<AgentRow>`select key_id as agent_id, agents.name, may_write, game_id, sign_in_method, ${userOfAgent} as user, ${isStale(now)} as stale
      from agent_keys as agents join users on users.id = agents.user_id and users.disabled_at is null
      where token_hash = ${tokenHash} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
  );
}

/** Whether the key with this id is active and may write. */
export async function isWritingKey(db: Db, keyId: string, now: Date): Promise<boolean> {
  const { live } = await onlyRow(
    db,
    sql<{ live: boolean }>`select exists (select from agent_keys join users on users.id = user_id
      where key_id = ${keyId} and disabled_at is null and may_write and revoked_at is null and (expires_at is null or expires_at > ${now})) as live`,
  );
  return live;
}

export async function touchAgentKey(db: Db, keyId: string, now: Date): Promise<void> {
  await changed(db, sql`update agent_keys set last_used_at = ${now} where key_id = ${keyId}`);
}

/** Deletes keys that were revoked or expired before `time`. */
export function forgetKeys(db: Db, time: Date): Promise<number> {
  return changed(db, sql`delete from agent_keys where least(revoked_at, expires_at) < ${time}`);
}
