// Shows approvals to the people they concern, and lets the owners of the game decide them, on the page or by passing
// the code from the email to the agent. One transaction contains the decision and the action.

import { ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/approvals';
import type { AccountCaller, Context } from '../../context.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import {
  findGameFor,
  type Game,
  requireRole,
  requireSufficientSignIn,
  roleOf,
} from '../../people/game-access/game-access.ts';
import { listMetRequirements } from '../../people/organisations/organisations.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { noteChange } from '../../request/game-changes.ts';
import { handle } from '../../request/route.ts';
import { actionOf, requireApplicable } from './actions.ts';
import { isCode } from './approval-emails.ts';
import { approvalViewOf, moverOf, requestOf, stateOf } from './approval-view.ts';
import * as approvals from './approvals.sql.ts';

const PAGE_SIZE = 50;

type GameApproval = { row: approvals.ApprovalRow; game: Game; isOwner: boolean };

/**
 * Returns the approval to the owners of its game, or to its requester if they are still a member. Throws `notFound`.
 */
async function requireApproval(ctx: Context, caller: AccountCaller, uid: string): Promise<GameApproval> {
  const row = await approvals.findApproval(ctx.db, uid);
  if (row === undefined) throw unknownApproval();
  const game = await findGameFor(ctx.db, caller, row.game_id);
  const role = game === null ? null : await roleOf(ctx.db, game, caller);
  if (game === null || role === null) throw unknownApproval();
  if (role !== 'owner' && row.asker_id !== caller.user.id) throw unknownApproval();
  await requireSufficientSignIn(ctx, game, caller);
  requireRole(role, caller.neededRole ?? 'owner');
  return { row, game, isOwner: role === 'owner' };
}

function unknownApproval(): ApiError {
  return errors.notFound("This approval does not exist, or you don't have access to it.");
}

export const listWaitingApprovals = handle(
  contract.listWaitingApprovals,
  async (ctx, { caller, input: { cursor, limit = PAGE_SIZE } }) => {
    const userId = caller.user.id;
    const list = ['waiting approvals', userId];
    const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
    const met = await listMetRequirements(ctx.db, caller);
    const now = ctx.clock.now();
    const pending = await approvals.listWaitingApprovalRows(ctx.db, userId, { met, now, before, limit: limit + 1 });
    const { page, last } = cutPage(pending, limit);
    return {
      approvals: page.map((row) => requestOf(ctx, row, row)),
      next_cursor: last === null ? null : writeCursor(list, [last.approval_id]),
    };
  },
);

export const getApproval = handle(contract.getApproval, async (ctx, { caller, input }) => {
  const { row, game, isOwner } = await requireApproval(ctx, caller, input.uid);
  return approvalViewOf(ctx, row, game, mayDecide(caller, isOwner));
});

export const confirmApproval = handle(contract.confirmApproval, async (ctx, { caller, input: { uid, code } }) => {
  const { game, isOwner } = await requireApproval(ctx, caller, uid);
  const row = await applyDecision(ctx, game, uid, { code });
  return approvalViewOf(ctx, row, game, mayDecide(caller, isOwner));
});

export const decideApproval = handle(contract.decideApproval, async (ctx, { caller, input: { uid, approve } }) => {
  const { game, isOwner } = await requireApproval(ctx, caller, uid);
  if (!mayDecide(caller, isOwner))
    throw errors.notAllowed('Only owners of the game can decide, signed in on the website.');
  const row = await applyDecision(ctx, game, uid, { approve, by: caller.user.name });
  return approvalViewOf(ctx, row, game, true);
});

/** Owners decide in person. An agent can only pass on the code from the email. */
function mayDecide(caller: AccountCaller, isOwner: boolean): boolean {
  return caller.agent === undefined && isOwner;
}

type Row = approvals.ApprovalRow;

/** An owner's decision on the page, or a code, which can only approve. */
export type Decision = { readonly approve: boolean; readonly by: string } | { readonly code: string };

/** The number of wrong codes for one approval, over all callers. */
const MAX_TRIES = 5;

/**
 * Decides the approval and performs the action if it is approved. Repeating the same decision has no further effect.
 * Throws `approvalDenied` if it was denied, `wrongApprovalCode` if it has expired or the code is wrong,
 * `alreadyDecided` if it was decided otherwise or no longer applies, and the error codes of the action. An error
 * changes nothing, except that a wrong code counts as a try.
 */
export async function applyDecision(ctx: Context, game: Game, uid: string, decision: Decision): Promise<Row> {
  // Throwing inside the transaction would undo the count of tries.
  const outcome = await retryConflicts(() => transact(ctx.db, (tx) => decideWithin(ctx, tx, game, uid, decision)));
  if (outcome instanceof ApiError) throw outcome;
  // The action may have promoted a build.
  for (const topic of ['approvals', 'builds'] as const) noteChange(ctx, game.game_id, topic);
  return outcome;
}

async function decideWithin(
  ctx: Context,
  tx: Tx,
  game: Game,
  uid: string,
  decision: Decision,
): Promise<Row | ApiError> {
  const row = await approvals.lockApproval(tx, uid);
  if (row === undefined) throw errors.notFound();
  const state = stateOf(row, ctx.clock.now());
  if (state !== 'pending') return requireSameDecision(row, state, decision);
  if ('code' in decision) {
    if (row.tries >= MAX_TRIES) throw noTriesLeft();
    await approvals.countTry(tx, uid);
    if (!isCode(ctx.secret, row, decision.code)) return wrongCode(MAX_TRIES - row.tries - 1);
  }
  const approves = 'code' in decision || decision.approve;
  // The code is only in the email to the responsible owner.
  const by = 'by' in decision ? decision.by : ((await findUserById(tx, game.owner_id))?.name ?? '');
  const result = approves ? await perform(ctx, tx, row, game, by) : null;
  await approvals.saveDecision(tx, uid, { by, at: ctx.clock.now(), result });
  return (await approvals.findApproval(tx, uid))!;
}

/** A decision is final. Repeating the same decision is not an error. */
function requireSameDecision(row: Row, state: 'approved' | 'denied' | 'expired', decision: Decision): Row {
  const byCode = 'code' in decision;
  if (state === 'expired') throw errors.wrongApprovalCode('This approval has expired. Request it again.');
  if (byCode && state === 'denied') throw errors.approvalDenied();
  const isSame = byCode || decision.approve === (state === 'approved');
  if (!isSame)
    throw errors.alreadyDecided(state === 'approved' ? 'This was already approved.' : 'This was already denied.');
  return row;
}

function noTriesLeft(): ApiError {
  return errors.wrongApprovalCode('Too many wrong codes. An owner can still decide on the page linked in the email.');
}

function wrongCode(left: number): ApiError {
  if (left === 0) return noTriesLeft();
  return errors.wrongApprovalCode(
    left === 1 ? 'code: wrong code. 1 try left.' : `code: wrong code. ${left} tries left.`,
    {
      data: { tries_left: left },
    },
  );
}

async function perform(ctx: Context, tx: Tx, row: Row, game: Game, owner: string): Promise<object> {
  await requireApplicable(ctx, tx, row, game);
  return actionOf(row.action).perform(tx, game, row.input, { movedBy: moverOf(row, owner), now: ctx.clock.now() });
}
