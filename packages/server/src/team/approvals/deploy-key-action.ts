// A deploy key requested by an agent: the owner approves it, and it is created once, when that agent collects it.
import { errors } from '@chauffeur/contract/errors';
import type { KeyCollection } from '@chauffeur/contract/operations/approvals';
import { issueDeployKey } from '@chauffeur/contract/operations/deploy-keys';
import { DAY } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/database/db.ts';
import type { Game } from '../../people/games/games.ts';
import { findActiveKey, issueDeployKeyWithin, lockDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import { mayAgentWrite } from '../agents/agents.ts';
import type { Action, Handover } from './action.ts';

/** Set by the server, not by the agent. Only this personal key or connection can collect the deploy key. */
export type DeployKeyRequest = { agent_id: string };

/** Counted from the approval, so that the agent has enough time even if the owner approves late. */
const COLLECT_MS = DAY;

export const requestDeployKey: Action<DeployKeyRequest> = {
  neededRole: issueDeployKey.role ?? 'owner',
  normalize: ({ agent_id }) => ({ agent_id: agent_id.toLowerCase() }),
  async preview(db, game, { agent_id }, now) {
    if (!(await mayAgentWrite(db, agent_id, now)))
      throw errors.alreadyDecided(
        'The agent that requested this can no longer make changes, because its access has ended.',
      );
    const current = await findActiveKey(db, game.game_id);
    return {
      summary: 'Give an agent a new deploy key',
      consequences: describeKeyRequest(current),
      basis: { key_ref: current?.key_ref ?? null },
    };
  },
  outdated:
    'The deploy key has changed since this was requested. Nothing was changed. Check the key and request it again.',
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
    'The key is shown once, within 24 hours of your approval, and only to the agent that requested it. You can revoke it by creating another deploy key.',
  ];
}

function lastUse(at: Date | null): string {
  return at === null ? ' (it has never been used)' : ` (last used ${at.toISOString().slice(0, 10)})`;
}

/**
 * Creates the approved key. The caller holds the lock on the approval, so concurrent calls cannot both create one.
 * Throws `wrongApprovalCode` if it was not collected in time, and `alreadyDecided` if it was already collected or no
 * longer applies.
 */
async function collect(tx: Tx, game: Game, { result, now, movedBy, requireApplicable }: Handover) {
  const { collected_at: collectedAt, collect_until: until } = result as KeyCollection;
  if (collectedAt !== null)
    throw errors.alreadyDecided(
      `The deploy key was collected at ${collectedAt} and is not shown again. If you no longer have it, request another with a new idempotency_key.`,
    );
  if (now >= new Date(until))
    throw errors.wrongApprovalCode(
      `The approved deploy key was not collected by ${until}. Request another with a new idempotency_key.`,
    );
  // Lock before checking: a key issued on the website is then either found by the check, or waits and revokes this one.
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
