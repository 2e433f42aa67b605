// Tools that change what players get at once, or take away for good: over MCP they wait for the owner of the game.
import { ApiError } from '@chauffeur/contract/errors';
import { ApprovalTicket } from '@chauffeur/contract/operations/approvals';
import { findProblem } from '@chauffeur/contract/validate';
import Type from 'typebox';
import type { AccountCaller, Context } from '../context.ts';
import { requestApproval } from '../features/approvals/approvals.ts';
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

const RISKY = {
  promote_build: {
    waits: ({ channel }: RiskyInput) => channel === 'stable',
    says: 'To the channel stable it waits until the game’s owner has approved it, and answers `code` 4214 with an `approval` meanwhile.',
  },
  delete_build: {
    waits: () => true,
    says: 'It waits until the game’s owner has approved it, and answers `code` 4214 with an `approval` meanwhile.',
  },
} as const;

/** What whoever calls the tool has to know of that; empty for tools that never wait. */
export function sayWaiting(tool: string): string {
  return isRisky(tool) ? RISKY[tool].says : '';
}

/** Whether the tool may have to wait. */
export function isRisky(tool: string): tool is keyof typeof RISKY {
  return Object.hasOwn(RISKY, tool);
}

/** Whether this call of it has to. */
export function mustWait(tool: string, input: RiskyInput): tool is keyof typeof RISKY {
  return isRisky(tool) && RISKY[tool].waits(input);
}

/** Throws 4002 for an idempotency key that is none. */
export function requireRiskyInput(input: object): void {
  const problem = findProblem(ApprovalInput, input);
  if (problem !== null) throw new ApiError(4002, problem);
}

/**
 * Asks the owner, or answers what became of the same request before. Throws 4215 when it was denied, 4216 when its time is over, and what
 * the change itself would throw now.
 */
export async function askOwner(
  ctx: Context,
  caller: AccountCaller,
  tool: keyof typeof RISKY,
  input: RiskyInput,
): Promise<object> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { build_id, channel, expires_in_hours, idempotency_key: idempotencyKey } = input;
  const asker = { user: caller.user, via: caller.agent?.name ?? '' };
  const { status, approval, result } = await requestApproval(
    ctx,
    asker,
    tool === 'delete_build'
      ? { game, action: tool, input: { build_id }, idempotencyKey }
      : {
          game,
          action: tool,
          input: { channel, build_id, ...(expires_in_hours !== undefined && { expires_in_hours }) },
          idempotencyKey,
        },
  );
  if (status === 'denied') throw new ApiError(4215);
  if (status === 'expired')
    throw new ApiError(4216, 'The approval was not given in time; ask again with another idempotency_key.');
  if (status === 'approved') return result ?? {};
  return { code: 4214, message: WAITING, approval };
}

const WAITING =
  'The owner of the game was asked by mail and has to approve this. Look with get_approval, or call confirm_approval with the code of the mail if the owner gives it to you.';
