// Tools that can change what players get, or delete a build permanently: over MCP they wait for the owner of the game.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import { ApprovalTicket } from '@chauffeur/contract/operations/approvals';
import { findProblem } from '@chauffeur/contract/validate';
import Type from 'typebox';
import type { AccountCaller, Context } from '../context.ts';
import { type ApprovalRequest, requestApproval } from '../features/approvals/approvals.ts';
import { requireMember } from '../features/games/games.ts';
import type { Schema } from './schema-walk.ts';

/** What such a tool takes beside the parameters of its operation. */
export const APPROVAL_INPUT: Readonly<Record<string, Schema>> = {
  idempotency_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Of your own making: the same request with the same key is asked and done once, however often it is sent',
    }),
  ),
};

const ApprovalInput = Type.Object(APPROVAL_INPUT);

/** What it answers, and nothing else, while it waits. */
export const WAITING_OUTPUT: Readonly<Record<string, Schema>> = {
  code: Type.Literal(4214, {
    description: 'Present while the change waits for the approval of the game’s owner; nothing is done yet then',
  }),
  message: Type.String({ description: 'Beside code: what to do meanwhile' }),
  approval: ApprovalTicket,
};

export type RiskyInput = {
  readonly uid: string;
  readonly build_id: string;
  readonly channel: string;
  readonly expires_in_hours?: number;
  readonly idempotency_key?: string;
};

type Asking = Pick<ApprovalRequest, 'action' | 'input'>;

type RiskyTool = {
  /** Whether this call has to wait. */
  readonly waits: (input: RiskyInput) => boolean;
  /** For whoever calls the tool. */
  readonly description: string;
  /** What the owner is asked for. */
  readonly request: (input: RiskyInput, agentId: string) => Asking;
  /** What the agent can do while it waits. */
  readonly message: string;
};

const ASKED = 'The owner of the game was asked by mail and has to approve this.';
const CONFIRM = 'call confirm_approval with the code of the mail if the owner gives it to you';

const RISKY: Readonly<Record<string, RiskyTool>> = {
  promote_build: {
    waits: ({ channel }) => channel === 'stable',
    description:
      'To the channel stable it waits until the game’s owner has approved it, and answers `code` 4214 with an `approval` meanwhile.',
    request: ({ channel, build_id, expires_in_hours }) => ({
      action: 'promote_build',
      input: { channel, build_id, ...(expires_in_hours !== undefined && { expires_in_hours }) },
    }),
    message: `${ASKED} Look with get_approval, or ${CONFIRM}.`,
  },
  delete_build: {
    waits: () => true,
    description:
      'It waits until the game’s owner has approved it, and answers `code` 4214 with an `approval` meanwhile.',
    request: ({ build_id }) => ({ action: 'delete_build', input: { build_id } }),
    message: `${ASKED} Look with get_approval, or ${CONFIRM}.`,
  },
  request_deploy_key: {
    waits: () => true,
    description:
      'It waits until the game’s owner has approved it, and returns `code` 4214 with an `approval` meanwhile. After the approval, repeat the call with the same arguments within 24 hours: the key pair is returned once, to the agent that asked, and every earlier key is revoked at that moment. Store it before you do anything else.',
    request: (_input, agentId) => ({ action: 'request_deploy_key', input: { agent_id: agentId } }),
    message: `${ASKED} Check get_approval, or ${CONFIRM}. Once it is approved, call request_deploy_key again with the same arguments to receive the key.`,
  },
};

/** What the approval adds to the errors of the operation. */
const APPROVAL_ERRORS: readonly ErrorCode[] = [4002, 4215, 4216, 4217, 4290];

/** Every code that the tool can return, ascending. */
export function errorsOfTool(tool: string, errors: readonly ErrorCode[]): ErrorCode[] {
  return isRisky(tool) ? [...new Set([...errors, ...APPROVAL_ERRORS])].sort((a, b) => a - b) : [...errors];
}

/** What whoever calls the tool has to know of that; empty for tools that never wait. */
export function sayWaiting(tool: string): string {
  return RISKY[tool]?.description ?? '';
}

/** Whether the tool may have to wait. */
export function isRisky(tool: string): boolean {
  return Object.hasOwn(RISKY, tool);
}

/** Whether this call of it has to. */
export function mustWait(tool: string, input: RiskyInput): boolean {
  return RISKY[tool]?.waits(input) === true;
}

/** Throws 4002 for an idempotency key that is none. */
export function requireRiskyInput(input: object): void {
  const problem = findProblem(ApprovalInput, input);
  if (problem !== null) throw new ApiError(4002, problem);
}

/**
 * Asks the owner, or answers what became of the same request before. Throws 4215 when it was denied, 4216 when its time is over, 4217 when
 * it no longer applies, and what the change itself would throw now.
 */
export async function askOwner(ctx: Context, caller: AccountCaller, tool: string, input: RiskyInput): Promise<object> {
  const risky = RISKY[tool];
  if (risky === undefined) throw new Error(`${tool} waits for nobody`);
  const { game } = await requireMember(ctx, caller, input.uid);
  const asker = { user: caller.user, via: caller.agent?.name ?? '' };
  const { status, approval, result } = await requestApproval(ctx, asker, {
    game,
    ...risky.request(input, caller.agent?.id ?? ''),
    idempotencyKey: input.idempotency_key,
  } as ApprovalRequest);
  if (status === 'denied') throw new ApiError(4215);
  if (status === 'expired')
    throw new ApiError(4216, 'The approval was not given in time; ask again with another idempotency_key.');
  if (status === 'approved') return result ?? {};
  return { code: 4214, message: risky.message, approval };
}
