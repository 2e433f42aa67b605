// Personal keys: created and revoked by their owner, shown once, stored as hashes.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/agents';
import { AGENT_KEY_PREFIX } from '@chauffeur/contract/operations/agents';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { hashSecret, newId, newSecret } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import * as keys from './keys.sql.ts';

type KeyRecord = OutputOf<typeof contract.revokeAgentKey>;

/** The number of characters, which have 5.8 bits each, 186 in total. */
const SECRET_LENGTH = 32;
/** The number of characters of the secret that identify the key. */
const REF_LENGTH = 6;
const PAGE_SIZE = 50;

/** Throws `notFound` for a game that the caller is not a member of. */
export const createAgentKey = handle(contract.createAgentKey, async (ctx, { caller, input }) => {
  const gameId = await gameIdOf(ctx, caller, input.game);
  const now = ctx.clock.now();
  if ((await keys.countLiveKeys(ctx.db, caller.user.id, now)) >= LIMITS.agentKeys)
    throw errors.invalid(`You have ${LIMITS.agentKeys} active keys, which is the limit. Revoke one first.`);
  const key = `${AGENT_KEY_PREFIX}${newSecret(SECRET_LENGTH)}`;
  const created = await keys.insertAgentKey(ctx.db, {
    keyId: newId(now.getTime()),
    userId: caller.user.id,
    keyRef: key.slice(0, AGENT_KEY_PREFIX.length + REF_LENGTH),
    tokenHash: hashSecret(key),
    name: input.name.trim() || input.name,
    mayWrite: input.may_write,
    gameId,
    signInMethod: caller.signInMethod,
    createdAt: now,
    expiresAt: input.expires_in_days === undefined ? null : new Date(now.getTime() + input.expires_in_days * DAY),
  });
  return { ...recordOf(created), key };
});

/** The id of the game that an agent is limited to; null for none. */
export async function gameIdOf(ctx: Context, caller: AccountCaller, ref: string | undefined): Promise<string | null> {
  return ref === undefined ? null : (await requireMember(ctx, caller, ref)).game.game_id;
}

export const listAgentKeys = handle(
  contract.listAgentKeys,
  async (ctx, { caller, input: { cursor, limit = PAGE_SIZE } }) => {
    const list = ['agent-keys', caller.user.id];
    const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
    const { page, last } = cutPage(
      await keys.listAgentKeyRows(ctx.db, caller.user.id, { before, limit: limit + 1 }),
      limit,
    );
    return { keys: page.map(recordOf), next_cursor: last === null ? null : writeCursor(list, [last.key_id]) };
  },
);

/** Throws `notFound`. */
export const revokeAgentKey = handle(contract.revokeAgentKey, async (ctx, { caller, input }) => {
  const revoked = await keys.revokeKey(ctx.db, caller.user.id, input.key_id, ctx.clock.now());
  if (revoked === undefined) throw errors.notFound('key_id: you have no such key.');
  return recordOf(revoked);
});

function recordOf(row: keys.AgentKeyRow): KeyRecord {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
