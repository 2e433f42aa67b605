// The SQL of API tokens.
import type { TokenScope } from '@chauffeur/contract/token-scopes';
import { sql } from 'kysely';
import type { User } from '../../context.ts';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type TokenRow = {
  token_id: string;
  token_ref: string;
  name: string;
  scopes: TokenScope[];
  /** Null for all games of the person. */
  games: { game_uid: string; slug: string; name: string }[] | null;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  last_used_from: string | null;
  revoked_at: Date | null;
};

/** A token with the person it acts for, also if it has ended. */
export type FoundToken = {
  token_id: string;
  token_ref: string;
  name: string;
  scopes: TokenScope[];
  /** Null for all games of the person. */
  game_ids: string[] | null;
  /**
   * How the person signed in to the session in which it was created. Null if that was single sign-on, and the account is
   * no longer connected to it.
   */
  sign_in_method: string | null;
  expires_at: Date;
  revoked_at: Date | null;
  user: User;
  /** Whether its last use was recorded so long ago that it should be recorded again. */
  stale: boolean;
};

export type NewToken = {
  tokenId: string;
  userId: string;
  tokenRef: string;
  tokenHash: Buffer;
  name: string;
  scopes: readonly TokenScope[];
  /** Null for all games of the person. */
  gameIds: readonly string[] | null;
  signInMethod: string | null;
  createdAt: Date;
  expiresAt: Date;
};

const columns = sql`token_id, token_ref, api_tokens.name, scopes,
  case when is_limited then (
    select coalesce(jsonb_agg(jsonb_build_object('game_uid', games.game_id, 'slug', games.slug, 'name', games.name)
      order by games.name, games.game_id), '[]')
    from api_token_games join games using (game_id) where api_token_games.token_id = api_tokens.token_id
  ) end as games,
  created_at, expires_at, last_used_at, last_used_from, revoked_at`;

const isActive = (now: Date) => sql`revoked_at is null and expires_at > ${now}`;

/** Blocks other transactions that add tokens of the person until the transaction ends. */
export async function lockTokens(tx: Tx, userId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`api_tokens/${userId}`}, 0))`);
}

export async function countTokens(db: Db, userId: string, now: Date): Promise<number> {
  const { active } = await onlyRow(
    db,
    sql<{ active: number }>`select count(*) as active from api_tokens where user_id = ${userId} and ${isActive(now)}`,
  );
  return active;
}

export async function insertToken(tx: Tx, token: NewToken): Promise<TokenRow> {
  await changed(
    tx,
    sql`insert into api_tokens
        (token_id, user_id, token_ref, token_hash, name, scopes, is_limited, sign_in_method, created_at, expires_at)
      values (${token.tokenId}, ${token.userId}, ${token.tokenRef}, ${token.tokenHash}, ${token.name},
        ${token.scopes}::text[], ${token.gameIds !== null}, ${token.signInMethod}, ${token.createdAt}, ${token.expiresAt})`,
  );
  await changed(
    tx,
    sql`insert into api_token_games (token_id, game_id)
      select ${token.tokenId}::uuid, unnest(${token.gameIds ?? []}::uuid[])`,
  );
  return onlyRow(tx, sql<TokenRow>`select ${columns} from api_tokens where token_id = ${token.tokenId}`);
}

/** Newest first, without tokens that ended before `endedAfter`. */
export function listTokens(db: Db, userId: string, endedAfter: Date): Promise<TokenRow[]> {
  return rows(
    db,
    sql<TokenRow>`select ${columns} from api_tokens
      where user_id = ${userId} and least(revoked_at, expires_at) > ${endedAfter} order by token_id desc`,
  );
}

/** Undefined if the person has no such token. A revoked token keeps the time of its revocation. */
export function revokeToken(db: Db, userId: string, tokenId: string, now: Date): Promise<TokenRow | undefined> {
  return row(
    db,
    sql<TokenRow>`update api_tokens set revoked_at = coalesce(revoked_at, ${now})
      where user_id = ${userId} and token_id = ${tokenId} returning ${columns}`,
  );
}

/** Returns how many were active. */
export function revokeTokensOf(db: Db, userId: string, now: Date): Promise<number> {
  return changed(db, sql`update api_tokens set revoked_at = ${now} where user_id = ${userId} and ${isActive(now)}`);
}

/** Revokes the active tokens that begin like this. Returns how many there were. */
export function revokeTokensByRef(tx: Tx, ref: string, now: Date): Promise<number> {
  return changed(tx, sql`update api_tokens set revoked_at = ${now} where token_ref = ${ref} and ${isActive(now)}`);
}

/** Undefined for an unknown token, and for that of a disabled account. The last use is exact to the minute. */
export function findToken(db: Db, tokenHash: Buffer, now: Date): Promise<FoundToken | undefined> {
  return row(
    db,
    sql<FoundToken>`select token_id, token_ref, api_tokens.name, scopes, expires_at, revoked_at,
        case when is_limited then array(select game_id from api_token_games
          where api_token_games.token_id = api_tokens.token_id) end as game_ids,
        case when sign_in_method <> 'sso' or exists (select from user_credentials
          where user_credentials.user_id = users.id and provider_id <> 'credential') then sign_in_method end as sign_in_method,
        jsonb_build_object('id', users.id, 'name', users.name, 'email', users.email, 'emailVerified', users.email_verified) as user,
        last_used_at is null or last_used_at < ${now}::timestamptz - interval '1 minute' as stale
      from api_tokens join users on users.id = api_tokens.user_id and users.disabled_at is null
      where token_hash = ${tokenHash}`,
  );
}

export async function touchToken(db: Db, tokenId: string, use: { now: Date; from: string }): Promise<void> {
  await changed(
    db,
    sql`update api_tokens set last_used_at = ${use.now}, last_used_from = ${use.from} where token_id = ${tokenId}`,
  );
}

export type ExpiringToken = {
  token_id: string;
  token_ref: string;
  name: string;
  expires_at: Date;
  email: string;
};

/**
 * Marks active tokens of which a person should be reminded, and returns them: tokens that expire before `until`, and of
 * which less than a quarter of their time is left. Two runs at once get different ones.
 */
export function takeExpiring(
  tx: Tx,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<ExpiringToken[]> {
  return rows(
    tx,
    sql<ExpiringToken>`with due as (
        select api_tokens.token_id, users.email from api_tokens join users on users.id = api_tokens.user_id
        where ${isActive(now)} and expires_at < ${until} and expires_at - (expires_at - api_tokens.created_at) / 4 < ${now} and reminded_at is null and users.disabled_at is null
        order by expires_at limit ${limit} for update of api_tokens skip locked)
      update api_tokens set reminded_at = ${now} from due where due.token_id = api_tokens.token_id
      returning api_tokens.token_id, token_ref, name, expires_at, due.email`,
  );
}

/** Deletes tokens that ended before `time`. */
export function forgetTokens(db: Db, time: Date): Promise<number> {
  return changed(db, sql`delete from api_tokens where least(revoked_at, expires_at) < ${time}`);
}
