// Checks whether a request still applies: the owner is the same, the requester still has the role, and nothing has
// changed.
import { isDeepStrictEqual } from 'node:util';
import { errors } from '@chauffeur/contract/errors';
import { isAtLeast, type Role } from '@chauffeur/contract/roles';
import type { Context } from '../../context.ts';
import type { Db } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { roleOnGame } from '../../people/games/games.sql.ts';
import type { Game } from '../../people/games/games.ts';
import type { Preview } from './action.ts';
import { actionOf } from './actions.ts';
import type { ApprovalRow } from './approvals.sql.ts';

/**
 * Returns the effect that the action would have now. Throws `alreadyDecided` if the owner, the requester's role or the
 * basis of the request has changed, and the error codes of the action.
 */
export async function requireApplicable(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  row: ApprovalRow,
  game: Game,
): Promise<Preview> {
  if (row.owner_id !== game.owner_id)
    throw errors.alreadyDecided('The game has a new owner since this was requested. Request it again.');
  const { neededRole } = actionOf(row.action);
  const role = await roleOfAsker(db, row, game);
  if (role === null)
    throw errors.alreadyDecided(`${row.asked_by}, who requested this, is no longer a member of the game.`);
  if (!isAtLeast(role, neededRole))
    throw errors.alreadyDecided(`${row.asked_by}, who requested this, is now a ${role} of the game and may not do it.`);
  const preview = await actionOf(row.action).preview(db, game, row.input, clock.now());
  if (isDeepStrictEqual(row.basis, preview.basis)) return preview;
  throw errors.alreadyDecided(actionOf(row.action).outdated);
}

async function roleOfAsker(db: Db, row: ApprovalRow, game: Game): Promise<Role | null> {
  const asker = row.asker_id === null ? null : await findUserById(db, row.asker_id);
  return asker === null ? null : roleOnGame(db, game.game_id, asker.id);
}
