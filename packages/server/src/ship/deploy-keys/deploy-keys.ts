// Deploy keys: one active key per game, shown once, stored as hashes, and checked for each request of a deploy tool, as
// upload tokens are.

import { timingSafeEqual } from 'node:crypto';
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/deploy-keys';
import type { Context, GameCaller } from '../../context.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import { hashSecret, newId, newSecret } from '../../kernel/secrets/ids.ts';
import { lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { announceKeyJob } from './announce-key.job.ts';
import * as sql from './deploy-keys.sql.ts';

type Issued = OutputOf<typeof contract.issueDeployKey>;

export const issueDeployKey = handle(contract.issueDeployKey, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return issueDeployKeyFor(ctx, game.game_id, caller.user.name, { revokeTokens: input.revoke_tokens === true });
});

/**
 * Issues a key and revokes every earlier one of the game in the same transaction, and with `revokeTokens` its upload
 * tokens too.
 */
export function issueDeployKeyFor(
  ctx: Context,
  gameId: string,
  issuedBy: string,
  { revokeTokens = false }: { revokeTokens?: boolean } = {},
): Promise<Issued> {
  return transact(ctx.db, async (tx) => {
    const issued = await issueDeployKeyWithin(tx, gameId, issuedBy);
    const revoked = revokeTokens ? await sql.revokeTokens(tx, gameId) : 0;
    if (revoked > 0) auditChange('revoked_tokens', 0, revoked);
    return { ...issued, revoked_tokens: revoked };
  });
}

/** Blocks changes to the deploy keys of a game until the transaction ends. */
export async function lockDeployKeys(tx: Tx, gameId: string): Promise<void> {
  await lockGame(tx, gameId);
}

/** The active key; null if there is none. */
export async function findActiveKey(
  db: Db,
  gameId: string,
): Promise<{ readonly key_ref: string; readonly last_used_at: Date | null } | null> {
  return (await sql.findActiveKey(db, gameId)) ?? null;
}

/** The active keys and upload tokens of all games that the person owns. `upload_token` is the name of a token. */
export async function listOwnedDeployKeys(
  db: Db,
  ownerId: string,
): Promise<(sql.OwnedKeyRow & { upload_token: string | null })[]> {
  const owned = await sql.listOwnedKeys(db, ownerId);
  return [...owned.map((key) => ({ ...key, upload_token: null })), ...(await sql.listOwnedTokens(db, ownerId))];
}

/** Revokes the keys and upload tokens of all games that the person owns. Returns how many were active. */
export async function revokeOwnedDeployKeys(tx: Tx, ownerId: string): Promise<number> {
  return (await sql.revokeOwnedKeys(tx, ownerId)) + (await sql.revokeOwnedTokens(tx, ownerId));
}

/** The names of the game's upload tokens with these references. */
export async function findTokenNames(
  db: Db,
  gameId: string,
  keyRefs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keyRefs.length === 0) return new Map();
  return new Map((await sql.listTokenNames(db, gameId, keyRefs)).map(({ key_ref, name }) => [key_ref, name]));
}

/** Issues a key within a transaction. */
export async function issueDeployKeyWithin(tx: Tx, gameId: string, issuedBy: string): Promise<Issued> {
  const { accessToken, secretKey, ...pair } = newKeyPair();
  const keyId = newId();
  // The lock serializes concurrent calls, so that the later key revokes the earlier one.
  await lockGame(tx, gameId);
  const former = await sql.findActiveKey(tx, gameId);
  auditChange('deploy_key', former?.key_ref ?? null, pair.keyRef);
  await sql.revokeDeployKeys(tx, gameId);
  await sql.insertDeployKey(tx, { ...pair, gameId, keyId, issuedBy });
  await addJob(tx, announceKeyJob, { gameId, keyId });
  return {
    game_uid: gameId,
    key_ref: pair.keyRef,
    access_token: accessToken,
    secret_key: secretKey,
    revoked_tokens: 0,
  };
}

/** Revokes the key and the upload tokens of the game without a replacement, within a transaction. */
export async function revokeDeployKeys(tx: Tx, gameId: string): Promise<void> {
  await sql.revokeDeployKeys(tx, gameId);
  await sql.revokeTokens(tx, gameId);
}

/** Revokes only the key of the game. Returns how many were active. */
export function revokeDeployKey(tx: Tx, gameId: string): Promise<number> {
  return sql.revokeDeployKeys(tx, gameId);
}

/** Revokes only the upload tokens of the game. Returns how many were not revoked yet. */
export function revokeUploadTokens(tx: Tx, gameId: string): Promise<number> {
  return sql.revokeTokens(tx, gameId);
}

export const listDeployKeys = handle(contract.listDeployKeys, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readDeployKeys(ctx, game.game_id);
});

export async function readDeployKeys(ctx: Context, gameId: string): Promise<OutputOf<typeof contract.listDeployKeys>> {
  const all = await sql.listDeployKeyRows(ctx.db, gameId);
  return {
    deploy_keys: all.map((key) => ({
      key_ref: key.key_ref,
      issued_at: key.issued_at.toISOString(),
      issued_by: key.issued_by,
      revoked_at: key.revoked_at?.toISOString() ?? null,
      last_used_at: key.last_used_at?.toISOString() ?? null,
    })),
  };
}

/**
 * Returns the game of a key pair, which is a deploy key or an upload token. Throws `unknownAccessToken` for an unknown
 * access token, `revokedKey` for a revoked key or a revoked or expired token, `accountDisabled` if the owner of the
 * game is disabled, and `wrongSecretKey` for a wrong secret. The secret is always hashed and compared in constant time,
 * and a revocation is revealed only to callers with the correct secret, so neither the response time nor the code helps
 * to guess a key.
 */
export async function authenticateKey(
  ctx: Context,
  accessToken: string,
  secretKey: string,
  address: string,
): Promise<GameCaller> {
  const tokenHash = hashSecret(accessToken);
  const key = await sql.findDeployKey(ctx.db, tokenHash);
  const token = key === undefined ? await sql.findToken(ctx.db, tokenHash) : undefined;
  const matches = timingSafeEqual(hashSecret(secretKey), (key ?? token)?.secret_hash ?? NO_HASH);
  if (key === undefined && token === undefined) throw errors.unknownAccessToken();
  if (!matches) throw errors.wrongSecretKey();
  if ((key ?? token)!.owners_disabled)
    throw errors.accountDisabled('The accounts of all owners of the game are disabled.');
  if (token !== undefined) return callerOf(ctx, token, address);
  if (key!.revoked_at !== null) throw errors.revokedKey();
  if (key!.stale) await sql.touchDeployKey(ctx.db, key!.game_id, key!.key_id);
  return { kind: 'game', gameId: key!.game_id, keyRef: key!.key_ref };
}

async function callerOf(ctx: Context, token: sql.FoundToken, address: string): Promise<GameCaller> {
  const { game_id: gameId, token_id: id, key_ref: keyRef, name, scopes, expires_at: expiresAt } = token;
  if (token.revoked_at !== null) throw errors.revokedKey('The upload token was revoked.');
  if (expiresAt !== null && expiresAt <= ctx.clock.now())
    throw errors.revokedKey(`The upload token expired on ${expiresAt.toISOString().slice(0, 10)}.`);
  if (token.stale) await sql.touchToken(ctx.db, gameId, id, address);
  return { kind: 'game', gameId, keyRef, token: { id, name, scopes, expiresAt } };
}

const NO_HASH = Buffer.alloc(32);

const REF_LENGTH = 8;
/** The number of characters, which have 5.8 bits each. With at least 186 bits, a plain SHA-256 protects them. */
const TOKEN_LENGTH = 32;
const SECRET_LENGTH = 48;

export type KeyPair = {
  readonly accessToken: string;
  readonly secretKey: string;
  /** The beginning of the access token, by which the pair is recognized. */
  readonly keyRef: string;
  readonly tokenHash: Buffer;
  readonly secretHash: Buffer;
};

export function newKeyPair(): KeyPair {
  const accessToken = newSecret(TOKEN_LENGTH);
  const secretKey = newSecret(SECRET_LENGTH);
  return {
    accessToken,
    secretKey,
    keyRef: accessToken.slice(0, REF_LENGTH),
    tokenHash: hashSecret(accessToken),
    secretHash: hashSecret(secretKey),
  };
}
