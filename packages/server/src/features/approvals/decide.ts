// Decides an approval: by the owner on the page, or by the code of the mail. The change and its record are one transaction.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/db.ts';
import { findUserById } from '../accounts/accounts.ts';
import type { Game } from '../games/games.ts';
import { actOf } from './acts.ts';
import { requireApplicable } from './applicable.ts';
import * as approvals from './approvals.sql.ts';
import { isCode } from './code.ts';
import { moverOf, stateOf } from './record.ts';

type Row = approvals.ApprovalRow;

/** By hand, or by a code, which can only approve. */
export type Decision = { readonly approve: boolean } | { readonly code: string };

/** Of one approval in all, whoever tries. */
const MOST_TRIES = 5;

/**
 * Decides the approval, and does the change when it is approved; the same decision again changes nothing more. Throws 4215
 * and 4216 where it cannot be decided so any more, 4217 when it was decided otherwise or no longer applies, and the codes of
 * the change; nothing is changed then, but that a wrong code counts as a try.
 */
export async function decide(ctx: Context, game: Game, uid: string, decision: Decision): Promise<Row> {
  // Throwing inside would take back that the try was counted.
  const outcome = await retryConflicts(() => transact(ctx.db, (tx) => decideWithin(ctx, tx, game, uid, decision)));
  if (outcome instanceof ApiError) throw outcome;
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
  if (row === undefined) throw new ApiError(4040);
  const state = stateOf(row, ctx.clock.now());
  if (state !== 'pending') return asDecided(row, state, decision);
  if ('code' in decision) {
    if (row.tries >= MOST_TRIES) throw noTriesLeft();
    await approvals.countTry(tx, uid);
    if (!isCode(ctx.secret, row, decision.code)) return wrongCode(MOST_TRIES - row.tries - 1);
  }
  const approves = 'code' in decision || decision.approve;
  const owner = await findUserById(tx, game.owner_id);
  const by = owner?.name ?? '';
  const result = approves ? await perform(ctx, tx, row, game, by) : null;
  await approvals.recordDecision(tx, uid, { by, at: ctx.clock.now(), result });
  return (await approvals.findApproval(tx, uid))!;
}

/** What is decided stays so; to be told the same again is no failure. */
function asDecided(row: Row, state: 'approved' | 'denied' | 'expired', decision: Decision): Row {
  const byCode = 'code' in decision;
  if (state === 'expired') throw new ApiError(4216, 'The time of this approval is over; it has to be asked for again.');
  if (byCode && state === 'denied') throw new ApiError(4215);
  const isSame = byCode || decision.approve === (state === 'approved');
  if (!isSame) throw new ApiError(4217, `It was ${state} already, and that stays so.`);
  return row;
}

function noTriesLeft(): ApiError {
  return new ApiError(4216, 'Too many wrong codes were tried; the owner can still decide on the page of the link.');
}

function wrongCode(left: number): ApiError {
  if (left === 0) return noTriesLeft();
  return new ApiError(
    4216,
    `code: this is not the code of the mail; ${left} ${left === 1 ? 'try is' : 'tries are'} left.`,
    {
      data: { tries_left: left },
    },
  );
}

async function perform(ctx: Context, tx: Tx, row: Row, game: Game, owner: string): Promise<object> {
  await requireApplicable(ctx, tx, row, game);
  return actOf(row.action).perform(tx, game, row.input, { movedBy: moverOf(row, owner), now: ctx.clock.now() });
}
