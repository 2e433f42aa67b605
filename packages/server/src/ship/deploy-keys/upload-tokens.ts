// Upload tokens: created with a name, scopes and an expiry, shown once, and renamed and revoked one at a time.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { type OutputOf, UPLOAD_SCOPES } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/deploy-keys';
import { DAY } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange, auditChanges } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { trimText } from '../../request/text-rules.ts';
import { announceKeyJob } from './announce-key.job.ts';
import * as tokens from './deploy-keys.sql.ts';
import { newKeyPair } from './deploy-keys.ts';

type TokenRecord = OutputOf<typeof contract.revokeUploadToken>;

const MAX_LISTED = 100;

export const createUploadToken = handle(contract.createUploadToken, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const now = ctx.clock.now();
  const { accessToken, secretKey, keyRef, tokenHash, secretHash } = newKeyPair();
  const days = input.expires_in_days;
  const created = await transact(ctx.db, async (tx) => {
    // The lock makes the limit hold for concurrent calls.
    await lockGame(tx, game.game_id);
    if ((await tokens.countActiveTokens(tx, game.game_id, now)) >= LIMITS.uploadTokens)
      throw errors.invalid(`The game has ${LIMITS.uploadTokens} active tokens, which is the limit. Revoke one first.`);
    const row = await tokens.insertToken(tx, {
      game_id: game.game_id,
      token_id: newId(now.getTime()),
      key_ref: keyRef,
      token_hash: tokenHash,
      secret_hash: secretHash,
      name: trimText('name', input.name),
      scopes: UPLOAD_SCOPES.filter((scope) => input.scopes.includes(scope)),
      created_by: caller.user.name,
      created_at: now,
      expires_at: days === null ? null : new Date(now.getTime() + days * DAY),
    });
    auditChanges({}, { name: row.name, key_ref: row.key_ref, scopes: row.scopes, expires_at: row.expires_at });
    await addJob(tx, announceKeyJob, { gameId: game.game_id, keyId: row.token_id });
    return row;
  });
  return { ...recordOf(created, now), access_token: accessToken, secret_key: secretKey };
});

export const listUploadTokens = handle(contract.listUploadTokens, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const now = ctx.clock.now();
  const all = await tokens.listTokens(ctx.db, game.game_id, { now, limit: MAX_LISTED });
  return { upload_tokens: all.map((token) => recordOf(token, now)) };
});

export const renameUploadToken = handle(contract.renameUploadToken, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const renamed = await transact(ctx.db, async (tx) => {
    const row = await tokens.renameToken(tx, game.game_id, input.token_id, trimText('name', input.name));
    if (row !== undefined) auditChange('name', row.old_name, row.name);
    return row;
  });
  if (renamed === undefined) throw unknownToken();
  return recordOf(renamed, ctx.clock.now());
});

export const revokeUploadToken = handle(contract.revokeUploadToken, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const now = ctx.clock.now();
  const revoked = await transact(ctx.db, async (tx) => {
    const row = await tokens.revokeToken(tx, game.game_id, input.token_id, now);
    if (row !== undefined) auditChange('state', { name: row.name, key_ref: row.key_ref }, 'revoked');
    return row;
  });
  if (revoked === undefined) throw unknownToken();
  return recordOf(revoked, now);
});

function unknownToken(): ApiError {
  return errors.notFound('token_id: the game has no such upload token.');
}

function recordOf(row: tokens.TokenRow, now: Date): TokenRecord {
  return {
    token_id: row.token_id,
    key_ref: row.key_ref,
    name: row.name,
    scopes: row.scopes,
    state: stateOf(row, now),
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_from: row.last_used_from,
  };
}

function stateOf({ revoked_at, expires_at }: tokens.TokenRow, now: Date): TokenRecord['state'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'expired' : 'active';
}
