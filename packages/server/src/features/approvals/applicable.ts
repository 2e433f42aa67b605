// Whether what was asked for still applies: the same owner, the asker a member, and things as they were.
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import type { Db } from '../../kernel/db.ts';
import { findUserById } from '../accounts/accounts.ts';
import { type Game, roleOf } from '../games/games.ts';
import type { Prospect } from './act.ts';
import { actOf } from './acts.ts';
import type { ApprovalRow } from './approvals.sql.ts';

/**
 * Answers what the change would do now. Throws 4217 when the owner, the asker's role or what it was asked upon is another by
 * now, and the codes of the change.
 */
export async function requireApplicable(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  row: ApprovalRow,
  game: Game,
): Promise<Prospect> {
  if (row.owner_id !== game.owner_id)
    throw new ApiError(4217, 'The game has another owner than when this was asked for; it has to be asked for again.');
  if (!(await mayStillAsk(db, row, game)))
    throw new ApiError(4217, `${row.asked_by}, who asked for this, is no member of the game any more.`);
  const prospect = await actOf(row.action).foresee(db, game, row.input, clock.now());
  if (isDeepStrictEqual(row.basis, prospect.basis)) return prospect;
  throw new ApiError(
    4217,
    `${actOf(row.action).moved} Nothing was changed; look at how things are now, and ask again.`,
  );
}

async function mayStillAsk(db: Db, row: ApprovalRow, game: Game): Promise<boolean> {
  const asker = row.asker_id === null ? null : await findUserById(db, row.asker_id);
  return asker !== null && (await roleOf(db, game, { kind: 'account', user: asker })) !== null;
}
