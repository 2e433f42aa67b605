// Deploy keys: issued one at a time to a game, shown once, kept as hashes, and checked at each request of a deploy tool.
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/deploy-keys';
import type { AccountCaller, Context, GameCaller } from '../../context.ts';
import { type Db, type Tx, transact } from '../../kernel/db.ts';
import { newId, newSecret } from '../../kernel/ids.ts';
import { lockGame, requireMember } from '../games/games.ts';
import * as keys from './deploy-keys.sql.ts';

type Issued = OutputOf<typeof contract.issueDeployKey>;

const REF_LENGTH = 8;
/** 32 characters of 5.8 bits: 186 bits each, so that a plain SHA-256 of them cannot be guessed. */
const TOKEN_LENGTH = 32;
const SECRET_LENGTH = 48;

export async function issueDeployKey(ctx: Context, caller: AccountCaller, input: { uid: string }): Promise<Issued> {
  const { game } = await requireMember(ctx, caller, input.uid);
  return issueDeployKeyFor(ctx, game.game_id, caller.user.name);
}

/** Issues a key and revokes every earlier one of the game in the same transaction. */
export function issueDeployKeyFor(ctx: Context, gameId: string, issuedBy: string): Promise<Issued> {
  return transact(ctx.db, (tx) => issueDeployKeyWithin(tx, gameId, issuedBy));
}

/** Keeps the deploy keys of a game as they are until the transaction ends. */
export async function lockDeployKeys(tx: Tx, gameId: string): Promise<void> {
  await lockGame(tx, gameId);
}

/** The key that works now; null before the first one. */
export async function findActiveKey(
  db: Db,
  gameId: string,
): Promise<{ readonly key_ref: string; readonly last_used_at: Date | null } | null> {
  return (await keys.findActiveKey(db, gameId)) ?? null;
}

/** The keys that work, of all games that the person owns. */
export function listOwnedDeployKeys(db: Db, ownerId: string): Promise<keys.OwnedKeyRow[]> {
  return keys.listOwnedKeys(db, ownerId);
}

/** Revokes the keys of all games that the person owns. Answers how many worked until now. */
export function revokeOwnedDeployKeys(db: Db, ownerId: string): Promise<number> {
  return keys.revokeOwnedKeys(db, ownerId);
}

/** Issues a key as a part of a transaction. */
export async function issueDeployKeyWithin(tx: Tx, gameId: string, issuedBy: string): Promise<Issued> {
  const accessToken = newSecret(TOKEN_LENGTH);
  const secretKey = newSecret(SECRET_LENGTH);
  const keyRef = accessToken.slice(0, REF_LENGTH);
  const key = {
    gameId,
    keyId: newId(),
    keyRef,
    tokenHash: hashOf(accessToken),
    secretHash: hashOf(secretKey),
    issuedBy,
  };
  // Two issues at once go one after the other, so that the later one revokes the earlier.
  await lockGame(tx, gameId);
  await keys.revokeKeys(tx, gameId);
  await keys.insertKey(tx, key);
  return { game_uid: gameId, key_ref: keyRef, access_token: accessToken, secret_key: secretKey };
}

/** Revokes the key of the game without another in its place, as a part of a transaction. */
export function revokeDeployKeys(tx: Tx, gameId: string): Promise<void> {
  return keys.revokeKeys(tx, gameId);
}

export async function listDeployKeys(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string },
): Promise<OutputOf<typeof contract.listDeployKeys>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const found = await keys.listKeys(ctx.db, game.game_id);
  return {
    deploy_keys: found.map((key) => ({
      key_ref: key.key_ref,
      issued_at: key.issued_at.toISOString(),
      issued_by: key.issued_by,
      revoked_at: key.revoked_at?.toISOString() ?? null,
      last_used_at: key.last_used_at?.toISOString() ?? null,
    })),
  };
}

/**
 * The game that a key pair belongs to. Throws 4022 for an unknown access token, 4023 for a revoked key, 4024 for a secret
 * that is not this key's. The secret is hashed and compared in constant time whatever was found, and whether the key is
 * revoked is only told to who has its secret: so the time of an answer and its code say nothing to one who guesses.
 */
export async function authenticateKey(ctx: Context, accessToken: string, secretKey: string): Promise<GameCaller> {
  const found = await keys.findKey(ctx.db, hashOf(accessToken));
  const matches = timingSafeEqual(hashOf(secretKey), found?.secret_hash ?? NO_HASH);
  if (found === undefined) throw new ApiError(4022);
  if (!matches) throw new ApiError(4024);
  if (found.revoked_at !== null) throw new ApiError(4023);
  if (found.stale) await keys.touchKey(ctx.db, found.game_id, found.key_id);
  return { kind: 'game', gameId: found.game_id, keyRef: found.key_ref };
}

const NO_HASH = Buffer.alloc(32);

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
