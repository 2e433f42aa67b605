// Checks whether a request still applies: the owner is the same, the requester is still a member, and nothing has
// changed.
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import type { Db } from '../../kernel/database/db.ts';
import { findUserById } from '../accounts/accounts.ts';
import { type Game, roleOf } from '../games/games.ts';
import type { Preview } from './action.ts';
import { actionOf } from './actions.ts';
import type { ApprovalRow } from './approvals.sql.ts';

/**
 * Returns the effect that the action would have now. Throws 4217 if the owner, the requester's membership or the basis
 * of the request has changed, and the error codes of the action.
 */
export async function requireApplicable(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  row: ApprovalRow,
  game: Game,
): Promise<Preview> {
  if (row.owner_id !== game.owner_id)
    throw new ApiError(4217, 'The game has a new owner since this was requested. Request it again.');
  if (!(await isStillMember(db, row, game)))
    throw new ApiError(4217, `${row.asked_by}, who requested this, is no longer a member of the game.`);
  const preview = await actionOf(row.action).preview(db, game, row.input, clock.now());
  if (isDeepStrictEqual(row.basis, preview.basis)) return preview;
  throw new ApiError(4217, actionOf(row.action).outdated);
}

async function isStillMember(db: Db, row: ApprovalRow, game: Game): Promise<boolean> {
  const asker = row.asker_id === null ? null : await findUserById(db, row.asker_id);
  return asker !== null && (await roleOf(db, game, { kind: 'account', user: asker })) !== null;
}
