// The SQL of deploy keys.

import type { UploadScope } from '@chauffeur/contract/operation';
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

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

/** Returns how many were active. */
export function revokeDeployKeys(tx: Tx, gameId: string): Promise<number> {
  return changed(tx, sql`update deploy_keys set revoked_at = now() where game_id = ${gameId} and revoked_at is null`);
}

/** Revokes the deploy keys and upload tokens whose access tokens begin like this. Returns how many were active. */
export async function revokeByRef(tx: Tx, ref: string): Promise<number> {
  const keys = await changed(
    tx,
    sql`update deploy_keys set revoked_at = now() where key_ref = ${ref} and revoked_at is null`,
  );
  const tokens = await changed(
    tx,
    sql`update upload_tokens set revoked_at = now() where key_ref = ${ref} and revoked_at is null`,
  );
  return keys + tokens;
}

export async function insertDeployKey(tx: Tx, key: NewKey): Promise<void> {
  await changed(
    tx,
    sql`insert into deploy_keys (game_id, key_id, key_ref, token_hash, secret_hash, issued_by)
      values (${key.gameId}, ${key.keyId}, ${key.keyRef}, ${key.tokenHash}, ${key.secretHash}, ${key.issuedBy})`,
  );
}

export function listDeployKeyRows(db: Db, gameId: string): Promise<KeyRow[]> {
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
const areOwnersDisabled = (gameId: RawBuilder<unknown>) =>
  // Null for a deleted game, which has its own error.
  sql`coalesce((select bool_and(disabled_at is not null)
    from games join organisation_members as team on team.organisation_id = games.organisation_id
      join users on users.id = team.user_id
    where games.game_id = ${gameId} and team.role = 'owner'), false)`;

export function findDeployKey(db: Db, tokenHash: Buffer): Promise<FoundKey | undefined> {
  return row(
    db,
    sql<FoundKey>`select game_id, key_id, key_ref, secret_hash, revoked_at,
        last_used_at is null or last_used_at < now() - interval '1 minute' as stale,
        ${areOwnersDisabled(sql`deploy_keys.game_id`)} as owners_disabled
      from deploy_keys where token_hash = ${tokenHash}`,
  );
}

/** Called at most once a minute, which is exact enough and avoids a write for each chunk. */
export async function touchDeployKey(db: Db, gameId: string, keyId: string): Promise<void> {
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
const ownedBy = (userId: string) => sql`select game_id from game_members where user_id = ${userId} and role = 'owner'`;

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

export type TokenRow = {
  token_id: string;
  key_ref: string;
  name: string;
  scopes: UploadScope[];
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  last_used_from: string | null;
};

type NewToken = Pick<
  TokenRow,
  'token_id' | 'key_ref' | 'name' | 'scopes' | 'created_by' | 'created_at' | 'expires_at'
> & {
  game_id: string;
  token_hash: Buffer;
  secret_hash: Buffer;
};

const columns = sql.raw(
  'token_id, key_ref, name, scopes, created_by, created_at, expires_at, revoked_at, last_used_at, last_used_from',
);

export function insertToken(tx: Tx, token: NewToken): Promise<TokenRow> {
  return onlyRow(
    tx,
    sql<TokenRow>`insert into upload_tokens (game_id, token_id, key_ref, token_hash, secret_hash, name, scopes,
        created_by, created_at, expires_at)
      values (${token.game_id}, ${token.token_id}, ${token.key_ref}, ${token.token_hash}, ${token.secret_hash},
        ${token.name}, ${token.scopes}, ${token.created_by}, ${token.created_at}, ${token.expires_at})
      returning ${columns}`,
  );
}

/** Active tokens first, then expired and revoked ones, each newest first. */
export function listTokens(db: Db, gameId: string, { now, limit }: { now: Date; limit: number }): Promise<TokenRow[]> {
  return rows(
    db,
    sql<TokenRow>`select ${columns} from upload_tokens where game_id = ${gameId}
      order by revoked_at is null and (expires_at is null or expires_at > ${now}) desc, token_id desc limit ${limit}`,
  );
}

export async function countActiveTokens(db: Db, gameId: string, now: Date): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from upload_tokens
      where game_id = ${gameId} and revoked_at is null and (expires_at is null or expires_at > ${now})`,
  );
  return count;
}

/** Undefined if the game has no such token. */
export function renameToken(
  tx: Tx,
  gameId: string,
  tokenId: string,
  name: string,
): Promise<(TokenRow & { old_name: string }) | undefined> {
  return row(
    tx,
    sql<TokenRow & { old_name: string }>`update upload_tokens set name = ${name}
      from (select name as old_name from upload_tokens where game_id = ${gameId} and token_id = ${tokenId} for update) as old
      where game_id = ${gameId} and token_id = ${tokenId} returning ${columns}, old_name`,
  );
}

/** A token that was revoked before keeps its time. Undefined if the game has no such token. */
export function revokeToken(tx: Tx, gameId: string, tokenId: string, now: Date): Promise<TokenRow | undefined> {
  return row(
    tx,
    sql<TokenRow>`update upload_tokens set revoked_at = coalesce(revoked_at, ${now})
      where game_id = ${gameId} and token_id = ${tokenId} returning ${columns}`,
  );
}

/** Returns how many were not revoked yet. */
export function revokeTokens(tx: Tx, gameId: string): Promise<number> {
  return changed(tx, sql`update upload_tokens set revoked_at = now() where game_id = ${gameId} and revoked_at is null`);
}

/** Returns how many of all games of an owner were not revoked yet. */
export function revokeOwnedTokens(db: Db, ownerId: string): Promise<number> {
  return changed(
    db,
    sql`update upload_tokens set revoked_at = now()
      where revoked_at is null and game_id in (${ownedBy(ownerId)})`,
  );
}

export type OwnedTokenRow = {
  game_uid: string;
  slug: string;
  name: string;
  key_ref: string;
  last_used_at: Date | null;
  upload_token: string;
};

/** The active tokens of all games of an owner. */
export function listOwnedTokens(db: Db, ownerId: string): Promise<OwnedTokenRow[]> {
  return rows(
    db,
    sql<OwnedTokenRow>`select game_id as game_uid, slug, games.name, key_ref, last_used_at, upload_tokens.name as upload_token
      from upload_tokens join games using (game_id)
      where game_id in (${ownedBy(ownerId)}) and revoked_at is null and (expires_at is null or expires_at > now())
      order by games.name, game_id, token_id`,
  );
}

export type FoundToken = {
  game_id: string;
  token_id: string;
  key_ref: string;
  secret_hash: Buffer;
  name: string;
  scopes: UploadScope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  stale: boolean;
  owners_disabled: boolean;
};

export function findToken(db: Db, tokenHash: Buffer): Promise<FoundToken | undefined> {
  return row(
    db,
    sql<FoundToken>`select game_id, token_id, key_ref, secret_hash, name, scopes, expires_at, revoked_at,
        last_used_at is null or last_used_at < now() - interval '1 minute' as stale,
        ${areOwnersDisabled(sql`upload_tokens.game_id`)} as owners_disabled
      from upload_tokens where token_hash = ${tokenHash}`,
  );
}

/** Called at most once a minute, which is exact enough and avoids a write for each chunk. */
export async function touchToken(db: Db, gameId: string, tokenId: string, address: string): Promise<void> {
  await changed(
    db,
    sql`update upload_tokens set last_used_at = now(), last_used_from = ${address}
      where game_id = ${gameId} and token_id = ${tokenId}`,
  );
}

/** The names of the tokens with these references. */
export function listTokenNames(
  db: Db,
  gameId: string,
  keyRefs: readonly string[],
): Promise<{ key_ref: string; name: string }[]> {
  return rows(
    db,
    sql<{ key_ref: string; name: string }>`select key_ref, name from upload_tokens
      where game_id = ${gameId} and key_ref = any(${keyRefs})`,
  );
}

export function findTokenById(db: Db, gameId: string, tokenId: string): Promise<TokenRow | undefined> {
  return row(
    db,
    sql<TokenRow>`select ${columns} from upload_tokens where game_id = ${gameId} and token_id = ${tokenId}`,
  );
}
