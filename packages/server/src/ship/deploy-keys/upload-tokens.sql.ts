// The SQL of upload tokens.
import type { UploadScope } from '@chauffeur/contract/operation';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { areOwnersDisabled, ownedBy } from './deploy-keys.sql.ts';

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
