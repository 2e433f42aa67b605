// The SQL of deploy keys.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';

type NewKey = {
  gameId: string;
  keyId: string;
  keyRef: string;
  tokenHash: Buffer;
  secretHash: Buffer;
  issuedBy: string;
};
type KeyRow = {
  key_ref: string;
  issued_by: string;
  issued_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
};
type FoundKey = {
  game_id: string;
  key_id: string;
  key_ref: string;
  secret_hash: Buffer;
  revoked_at: Date | null;
  stale: boolean;
  owners_disabled: boolean;
};

export async function revokeKeys(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`update deploy_keys set revoked_at = now() where game_id = ${gameId} and revoked_at is null`);
}

export async function insertKey(tx: Tx, key: NewKey): Promise<void> {
  await changed(
    tx,
    sql`insert into deploy_keys (game_id, key_id, key_ref, token_hash, secret_hash, issued_by)
      values (${key.gameId}, ${key.keyId}, ${key.keyRef}, ${key.tokenHash}, ${key.secretHash}, ${key.issuedBy})`,
  );
}

export function listKeys(db: Db, gameId: string): Promise<KeyRow[]> {
  return rows(
    db,
    sql<KeyRow>`select key_ref, issued_by, issued_at, revoked_at, last_used_at from deploy_keys
      where game_id = ${gameId} order by issued_at desc, key_id desc limit 100`,
  );
}

/** The active key; undefined if there is none. */
export function findActiveKey(db: Db, gameId: string): Promise<KeyRow | undefined> {
  return row(
    db,
    sql<KeyRow>`select key_ref, issued_by, issued_at, revoked_at, last_used_at from deploy_keys
      where game_id = ${gameId} and revoked_at is null order by issued_at desc, key_id desc limit 1`,
  );
}

/** Whether an operator has disabled the accounts of all owners of the game. */
export const areOwnersDisabled = (gameId: RawBuilder<unknown>) =>
  // Null for a deleted game, which has its own error.
  sql`coalesce((select bool_and(disabled_at is not null)
    from games join organisation_members as team on team.organisation_id = games.organisation_id
      join users on users.id = team.user_id
    where games.game_id = ${gameId} and team.role = 'owner'), false)`;

export function findKey(db: Db, tokenHash: Buffer): Promise<FoundKey | undefined> {
  return row(
    db,
    sql<FoundKey>`select game_id, key_id, key_ref, secret_hash, revoked_at,
        last_used_at is null or last_used_at < now() - interval '1 minute' as stale,
        ${areOwnersDisabled(sql`deploy_keys.game_id`)} as owners_disabled
      from deploy_keys where token_hash = ${tokenHash}`,
  );
}

/** Called at most once a minute, which is exact enough and avoids a write for each chunk. */
export async function touchKey(db: Db, gameId: string, keyId: string): Promise<void> {
  await changed(db, sql`update deploy_keys set last_used_at = now() where game_id = ${gameId} and key_id = ${keyId}`);
}

export type OwnedKeyRow = {
  game_uid: string;
  slug: string;
  name: string;
  key_ref: string;
  last_used_at: Date | null;
};

/** The games of which the account is an owner, possibly one of several. */
export const ownedBy = (userId: string) =>
  sql`select game_id from game_members where user_id = ${userId} and role = 'owner'`;

/** The active keys of all games of an owner. */
export function listOwnedKeys(db: Db, ownerId: string): Promise<OwnedKeyRow[]> {
  return rows(
    db,
    sql<OwnedKeyRow>`select game_id as game_uid, slug, name, key_ref, last_used_at
      from deploy_keys join games using (game_id)
      where game_id in (${ownedBy(ownerId)}) and revoked_at is null order by name, game_id`,
  );
}

/** Returns how many were active. */
export function revokeOwnedKeys(db: Db, ownerId: string): Promise<number> {
  return changed(
    db,
    sql`update deploy_keys set revoked_at = now()
      where revoked_at is null and game_id in (${ownedBy(ownerId)})`,
  );
}

/** Who issued a key, even if it was revoked since. */
export function findIssue(
  db: Db,
  gameId: string,
  keyId: string,
): Promise<{ key_ref: string; issued_by: string } | undefined> {
  return row(
    db,
    sql<{ key_ref: string; issued_by: string }>`select key_ref, issued_by from deploy_keys
      where game_id = ${gameId} and key_id = ${keyId}`,
  );
}
