// The deploy key that an agent asks for: the owner approves it, and it is created when that agent collects it, once.
import { ApiError } from '@chauffeur/contract/errors';
import { DAY } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/db.ts';
import { mayAgentWrite } from '../agents/agents.ts';
import { findActiveKey, issueDeployKeyWithin, lockDeployKeys } from '../deploy-keys/deploy-keys.ts';
import type { Game } from '../games/games.ts';
import type { Act, Handover } from './act.ts';

/** Set by the server, not by the agent: only this key or connection can collect the deploy key. */
export type DeployKeyRequest = { agent_id: string };

/** What an approval says about its key: no secret, since the key pair does not exist before it is collected. */
export type KeyCollection = { key_ref: string | null; collected_at: string | null; collect_until: string };

/** Counted from the approval, so that an owner who approves late still leaves the agent time. */
const COLLECT_MS = DAY;

export const requestDeployKey: Act<DeployKeyRequest> = {
  normalize: ({ agent_id }) => ({ agent_id: agent_id.toLowerCase() }),
  async foresee(db, game, { agent_id }, now) {
    if (!(await mayAgentWrite(db, agent_id, now)))
      throw new ApiError(4217, 'The agent that asked for this can no longer make changes: its access has ended.');
    const current = await findActiveKey(db, game.game_id);
    return {
      summary: 'Give an agent a new deploy key',
      consequences: describeKeyRequest(current),
      basis: { key_ref: current?.key_ref ?? null },
    };
  },
  moved: 'The game’s deploy key has changed since this was requested.',
  async perform(_tx, _game, _input, { now }): Promise<KeyCollection> {
    return { key_ref: null, collected_at: null, collect_until: new Date(now.getTime() + COLLECT_MS).toISOString() };
  },
  collect,
};

function describeKeyRequest(current: Awaited<ReturnType<typeof findActiveKey>>): string[] {
  const revoked =
    current === null
      ? 'The game has no active deploy key, so no key stops working.'
      : `Your current deploy key (${current.key_ref}…) stops working as soon as the agent collects the new one. Anything that still uses it can no longer upload${lastUse(current.last_used_at)}.`;
  return [
    'With the new key the agent can upload builds, symbols and store images, without asking you again. Builds uploaded to stable go live for players once they pass their scan.',
    revoked,
    'The key is shown only to the agent that asked, once, within 24 hours of your approval. You can revoke it by creating another deploy key.',
  ];
}

function lastUse(at: Date | null): string {
  return at === null ? ' (it has never been used)' : ` (last used ${at.toISOString().slice(0, 10)})`;
}

/**
 * Creates the approved key. The caller holds the lock on the approval, so two calls cannot both get here. Throws 4216 when it was not
 * collected in time, and 4217 when it was collected before or no longer applies.
 */
async function collect(tx: Tx, game: Game, { result, now, movedBy, requireApplicable }: Handover) {
  const { collected_at: collectedAt, collect_until: until } = result as KeyCollection;
  if (collectedAt !== null)
    throw new ApiError(
      4217,
      `The deploy key was handed out at ${collectedAt} and is not shown again. If you no longer have it, ask again with another idempotency_key.`,
    );
  if (now >= new Date(until))
    throw new ApiError(
      4216,
      `The approved deploy key was not collected by ${until}; ask again with another idempotency_key.`,
    );
  // First the lock: a key that is issued on the website meanwhile then shows up in the check, or waits and revokes this one.
  await lockDeployKeys(tx, game.game_id);
  await requireApplicable();
  const issued = await issueDeployKeyWithin(tx, game.game_id, movedBy);
  const record: KeyCollection = {
    key_ref: issued.key_ref,
    collected_at: now.toISOString(),
    collect_until: until,
  };
  return { record, handedOut: issued };
}
