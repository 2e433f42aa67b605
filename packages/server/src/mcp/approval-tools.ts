// Tools that change what players get, or delete a build permanently. Over MCP, they need the approval of the game's
// owner.
import { CODES, type ErrorCode, type ErrorName, errors } from '@chauffeur/contract/errors';
import { ApprovalTicket } from '@chauffeur/contract/operations/approvals';
import { findProblem } from '@chauffeur/contract/validate';
import Type from 'typebox';
import type { AccountCaller, Context } from '../context.ts';
import { isUuid } from '../kernel/secrets/ids.ts';
import { findGame } from '../people/game-access/game-access.sql.ts';
import { requireMember } from '../people/game-access/game-access.ts';
import { findRollout } from '../ship/rollouts/rollouts.sql.ts';
import { type ApprovalRequest, requestApproval } from '../team/approvals/approvals.ts';
import type { Schema } from './schema-walk.ts';

/** Parameters of such a tool in addition to those of its operation. */
export const APPROVAL_INPUT: Readonly<Record<string, Schema>> = {
  idempotency_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'A key of your choice. A repeated request with the same key has no further effect.',
    }),
  ),
};

const ApprovalInput = Type.Object(APPROVAL_INPUT);

/** The whole output while the change waits for approval. */
export const WAITING_OUTPUT: Readonly<Record<string, Schema>> = {
  code: Type.Literal(CODES.approvalNeeded, {
    description: "Present while the change waits for the approval of the game's owner; nothing has been changed yet",
  }),
  message: Type.String({ description: 'What to do while the change waits; present with code' }),
  approval: ApprovalTicket,
};

export type RiskyInput = {
  readonly uid: string;
  readonly build_id: string;
  readonly channel: string;
  readonly change_uid: string;
  readonly version: string;
  readonly platforms?: readonly { readonly os: string; readonly arch: string }[];
  readonly expires_in_hours?: number;
  readonly rollout_id: string;
  readonly share: number;
  readonly steps?: readonly object[];
  readonly guards?: readonly object[];
  readonly min_devices?: number;
  readonly idempotency_key?: string;
};

type Asking = Pick<ApprovalRequest, 'action' | 'input'>;

type RiskyTool = {
  /** Whether this call needs an approval. */
  readonly waits: (input: RiskyInput, ctx: Context) => boolean | Promise<boolean>;
  /** The text for the agent, as a part of the tool's description. */
  readonly description: string;
  /** The change that the owner approves. */
  readonly request: (input: RiskyInput, agentId: string) => Asking;
  /** What the agent can do until the approval. */
  readonly message: string;
};

const ASKED = "The game's owner was asked by email to approve this.";
const CONFIRM = 'call confirm_approval if the owner gives you the code from the email';

const OF_STABLE =
  "For a rollout on stable, this needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.";

/** False if there is no such rollout: the operation then says so. */
async function isRolloutOfStable({ uid, rollout_id: rolloutId }: RiskyInput, { db }: Context): Promise<boolean> {
  if (!isUuid(String(rolloutId))) return false;
  const game = await findGame(db, uid);
  return game !== null && (await findRollout(db, game.game_id, rolloutId))?.channel === 'stable';
}

const RISKY: Readonly<Record<string, RiskyTool>> = {
  promote_build: {
    waits: ({ channel }) => channel === 'stable',
    description:
      "A promotion to stable needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.",
    request: ({ channel, build_id, expires_in_hours }) => ({
      action: 'promote_build',
      input: { channel, build_id, ...(expires_in_hours !== undefined && { expires_in_hours }) },
    }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  promote_version: {
    waits: ({ channel }) => channel === 'stable',
    description:
      "A promotion to stable needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.",
    request: ({ channel, version, platforms, expires_in_hours }) => ({
      action: 'promote_version',
      input: {
        channel,
        version,
        ...(platforms !== undefined && { platforms }),
        ...(expires_in_hours !== undefined && { expires_in_hours }),
      },
    }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  undo_channel_change: {
    waits: ({ channel }) => channel === 'stable',
    description:
      "Undoing a change of stable needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.",
    request: ({ channel, change_uid }) => ({ action: 'undo_channel_change', input: { channel, change_uid } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  start_rollout: {
    waits: ({ channel }) => channel === 'stable',
    description:
      "A rollout on stable needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.",
    request: ({ channel, version, platforms, steps, guards, min_devices }) => ({
      action: 'start_rollout',
      input: {
        channel,
        version,
        ...(platforms !== undefined && { platforms }),
        ...(steps !== undefined && { steps }),
        ...(guards !== undefined && { guards }),
        ...(min_devices !== undefined && { min_devices }),
      },
    }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  resume_rollout: {
    waits: isRolloutOfStable,
    description: OF_STABLE,
    request: ({ rollout_id }) => ({ action: 'resume_rollout', input: { rollout_id } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  set_rollout_share: {
    waits: isRolloutOfStable,
    description: OF_STABLE,
    request: ({ rollout_id, share }) => ({ action: 'set_rollout_share', input: { rollout_id, share } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  finish_rollout: {
    waits: isRolloutOfStable,
    description: OF_STABLE,
    request: ({ rollout_id }) => ({ action: 'finish_rollout', input: { rollout_id } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  delete_build: {
    waits: () => true,
    description: "Needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.",
    request: ({ build_id }) => ({ action: 'delete_build', input: { build_id } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  delete_version: {
    waits: () => true,
    description: "Needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`.",
    request: ({ version, platforms }) => ({
      action: 'delete_version',
      input: { version, ...(platforms !== undefined && { platforms }) },
    }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}.`,
  },
  request_deploy_key: {
    waits: () => true,
    description:
      "Needs the approval of the game's owner. Until then, the call returns `code` 4214 and an `approval`. After the approval, repeat the call with the same arguments within 24 hours: the key pair is returned once, only to the agent that requested it, and all earlier keys are revoked at that moment. Store the key pair before you do anything else.",
    request: (_input, agentId) => ({ action: 'request_deploy_key', input: { agent_id: agentId } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}. Once it is approved, call request_deploy_key again with the same arguments to receive the key.`,
  },
};

/** Errors of the approval, in addition to those of the operation. */
const APPROVAL_ERRORS: readonly ErrorName[] = [
  'invalid',
  'approvalDenied',
  'wrongApprovalCode',
  'alreadyDecided',
  'limitReached',
];

/** Every code that the tool can return, ascending. */
export function errorsOfTool(tool: string, errors: readonly ErrorName[]): ErrorCode[] {
  const all = new Set([...errors, ...(isRisky(tool) ? APPROVAL_ERRORS : [])]);
  return [...all].map((name) => CODES[name]).sort((a, b) => a - b);
}

/** What the caller needs to know about the approval; empty for tools without one. */
export function describeApproval(tool: string): string {
  return RISKY[tool]?.description ?? '';
}

/** Whether calls of the tool can need an approval. */
export function isRisky(tool: string): boolean {
  return Object.hasOwn(RISKY, tool);
}

/** Whether this call needs an approval. */
export async function mustWait(ctx: Context, tool: string, input: RiskyInput): Promise<boolean> {
  return (await RISKY[tool]?.waits(input, ctx)) === true;
}

/** Throws `invalid` for an invalid idempotency key. */
export function requireRiskyInput(input: object): void {
  const problem = findProblem(ApprovalInput, input);
  if (problem !== null) throw errors.invalid(problem);
}

/**
 * Asks the owner for approval, or returns the state of the same earlier request. Throws `approvalDenied` if it was
 * denied, `wrongApprovalCode` if it expired, `alreadyDecided` if it no longer applies, and the errors of the change
 * itself.
 */
export async function askOwner(ctx: Context, caller: AccountCaller, tool: string, input: RiskyInput): Promise<object> {
  const risky = RISKY[tool];
  if (risky === undefined) throw new Error(`${tool} needs no approval`);
  const { game } = await requireMember(ctx, caller, input.uid);
  const asker = { user: caller.user, via: caller.agent?.name ?? '' };
  const { status, approval, result } = await requestApproval(ctx, asker, {
    game,
    ...risky.request(input, caller.agent?.id ?? ''),
    idempotencyKey: input.idempotency_key,
  } as ApprovalRequest);
  if (status === 'denied') throw errors.approvalDenied();
  if (status === 'expired')
    throw errors.wrongApprovalCode('The approval expired. Ask again with another idempotency_key.');
  if (status === 'approved') return result ?? {};
  return { code: CODES.approvalNeeded, message: risky.message, approval };
}
