// Deploy keys: one active key per game, shown once, stored as hashes, and checked for each request of a deploy tool.
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/deploy-keys';
import type { Context, GameCaller } from '../../context.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { hashSecret, newId, newSecret } from '../../kernel/secrets/ids.ts';
import type { Call } from '../../request/call.ts';
import { lockGame, requireMember } from '../games/games.ts';
import * as keys from './deploy-keys.sql.ts';

type Issued = OutputOf<typeof contract.issueDeployKey>;

const REF_LENGTH = 8;
/** Characters of 5.8 bits. With at least 186 bits, a plain SHA-256 is enough to protect them. */
const TOKEN_LENGTH = 32;
const SECRET_LENGTH = 48;

export async function issueDeployKey(
  ctx: Context,
  { caller, input }: Call<typeof contract.issueDeployKey>,
): Promise<Issued> {
  const { game } = await requireMember(ctx, caller, input.uid);
  return issueDeployKeyFor(ctx, game.game_id, caller.user.name);
}

/** Issues a key and revokes every earlier one of the game in the same transaction. */
export function issueDeployKeyFor(ctx: Context, gameId: string, issuedBy: string): Promise<Issued> {
  return transact(ctx.db, (tx) => issueDeployKeyWithin(tx, gameId, issuedBy));
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
  return (await keys.findActiveKey(db, gameId)) ?? null;
}

/** The active keys of all games that the person owns. */
export function listOwnedDeployKeys(db: Db, ownerId: string): Promise<keys.OwnedKeyRow[]> {
  return keys.listOwnedKeys(db, ownerId);
}

/** Revokes the keys of all games that the person owns. Returns how many were active. */
export function revokeOwnedDeployKeys(db: Db, ownerId: string): Promise<number> {
  return keys.revokeOwnedKeys(db, ownerId);
}

/** Issues a key within a transaction. */
export async function issueDeployKeyWithin(tx: Tx, gameId: string, issuedBy: string): Promise<Issued> {
  const accessToken = newSecret(TOKEN_LENGTH);
  const secretKey = newSecret(SECRET_LENGTH);
  const keyRef = accessToken.slice(0, REF_LENGTH);
  const key = {
    gameId,
    keyId: newId(),
    keyRef,
    tokenHash: hashSecret(accessToken),
    secretHash: hashSecret(secretKey),
    issuedBy,
  };
  // The lock serializes concurrent calls, so that the later key revokes the earlier one.
  await lockGame(tx, gameId);
  await keys.revokeKeys(tx, gameId);
  await keys.insertKey(tx, key);
  return { game_uid: gameId, key_ref: keyRef, access_token: accessToken, secret_key: secretKey };
}

/** Revokes the key of the game without a replacement, within a transaction. */
export function revokeDeployKeys(tx: Tx, gameId: string): Promise<void> {
  return keys.revokeKeys(tx, gameId);
}

export async function listDeployKeys(
  ctx: Context,
  { caller, input }: Call<typeof contract.listDeployKeys>,
): Promise<OutputOf<typeof contract.listDeployKeys>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const all = await keys.listKeys(ctx.db, game.game_id);
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
 * Returns the game of a key pair. Throws 4022 for an unknown access token, 4023 for a revoked key and 4024 for a wrong
 * secret. The secret is always hashed and compared in constant time, and a revocation is revealed only to callers with
 * the correct secret, so neither the response time nor the code helps to guess a key.
 */
export async function authenticateKey(ctx: Context, accessToken: string, secretKey: string): Promise<GameCaller> {
  const key = await keys.findKey(ctx.db, hashSecret(accessToken));
  const matches = timingSafeEqual(hashSecret(secretKey), key?.secret_hash ?? NO_HASH);
  if (key === undefined) throw new ApiError(4022);
  if (!matches) throw new ApiError(4024);
  if (key.revoked_at !== null) throw new ApiError(4023);
  if (key.stale) await keys.touchKey(ctx.db, key.game_id, key.key_id);
  return { kind: 'game', gameId: key.game_id, keyRef: key.key_ref };
}

const NO_HASH = Buffer.alloc(32);
