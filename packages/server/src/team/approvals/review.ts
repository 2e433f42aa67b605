// Shows approvals to the people they concern, and lets the owners of the game confirm or decide them.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/approvals';
import type { AccountCaller, Context } from '../../context.ts';
import { findGameFor, type Game, requireRole, requireSignIn, roleOf } from '../../people/games/games.ts';
import { listMetRequirements } from '../../people/organisations/organisations.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import * as approvals from './approvals.sql.ts';
import { decide } from './decide.ts';
import { recordOf, requestOf } from './record.ts';

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
  await requireSignIn(ctx, game, caller);
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
    const pending = await approvals.listWaiting(ctx.db, userId, { met, now, before, limit: limit + 1 });
    const { page, last } = cutPage(pending, limit);
    return {
      approvals: page.map((row) => requestOf(ctx, row, row)),
      next_cursor: last === null ? null : writeCursor(list, [last.approval_id]),
    };
  },
);

export const getApproval = handle(contract.getApproval, async (ctx, { caller, input }) => {
  const { row, game, isOwner } = await requireApproval(ctx, caller, input.uid);
  return recordOf(ctx, row, game, mayDecide(caller, isOwner));
});

export const confirmApproval = handle(contract.confirmApproval, async (ctx, { caller, input: { uid, code } }) => {
  const { game, isOwner } = await requireApproval(ctx, caller, uid);
  const row = await decide(ctx, game, uid, { code });
  return recordOf(ctx, row, game, mayDecide(caller, isOwner));
});

export const decideApproval = handle(contract.decideApproval, async (ctx, { caller, input: { uid, approve } }) => {
  const { game, isOwner } = await requireApproval(ctx, caller, uid);
  if (!mayDecide(caller, isOwner))
    throw errors.notAllowed('Only owners of the game can decide, signed in on the website.');
  const row = await decide(ctx, game, uid, { approve, by: caller.user.name });
  return recordOf(ctx, row, game, true);
});

/** Owners decide in person; an agent can only pass on the mailed code. */
function mayDecide(caller: AccountCaller, isOwner: boolean): boolean {
  return caller.agent === undefined && isOwner;
}
