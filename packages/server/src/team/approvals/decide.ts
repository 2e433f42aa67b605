// Decides an approval, on the page or with the mailed code. The action and its record are one transaction.
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import type { Game } from '../../people/games/games.ts';
import { noteChange } from '../../request/game-changes.ts';
import { actionOf } from './actions.ts';
import { requireApplicable } from './applicable.ts';
import * as approvals from './approvals.sql.ts';
import { isCode } from './code.ts';
import { moverOf, stateOf } from './record.ts';

type Row = approvals.ApprovalRow;

/** An owner's decision on the page, or a code, which can only approve. */
export type Decision = { readonly approve: boolean; readonly by: string } | { readonly code: string };

/** The limit for one approval, over all callers. */
const MAX_TRIES = 5;

/**
 * Decides the approval and performs the action if it is approved. Repeating the same decision has no further effect.
 * Throws `approvalDenied` if it was denied, `wrongApprovalCode` if it has expired or the code is wrong,
 * `alreadyDecided` if it was decided otherwise or no longer applies, and the error codes of the action. An error
 * changes nothing, except that a wrong code counts as a try.
 */
export async function decide(ctx: Context, game: Game, uid: string, decision: Decision): Promise<Row> {
  // Throwing inside the transaction would undo the count of tries.
  const outcome = await retryConflicts(() => transact(ctx.db, (tx) => decideWithin(ctx, tx, game, uid, decision)));
  if (outcome instanceof ApiError) throw outcome;
  // What was approved promotes a build, for example.
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
  await approvals.recordDecision(tx, uid, { by, at: ctx.clock.now(), result });
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
