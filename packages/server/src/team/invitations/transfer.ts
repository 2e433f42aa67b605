// Gives a game to a new owner: after the person accepted the offer, or because an operator decided it.
import type { Context, User } from '../../context.ts';
import { revokeSymbolToken } from '../../crash/symbols/symbols.sql.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { changeOwner, listOwners } from '../../people/game-access/game-access.sql.ts';
import { type Game, lockGame } from '../../people/game-access/game-access.ts';
import { listMembersOf } from '../../people/organisations/organisations.sql.ts';
import { auditChange } from '../../request/audit.ts';
import { revokeDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import { handOverApprovals } from '../approvals/approvals.ts';
import { moveGameRow } from '../organisation-members/ownership.sql.ts';
import { movedByOperatorEmail } from './invitation-emails.ts';
import * as invitations from './invitations.sql.ts';
import * as team from './team-invitations.sql.ts';

/** Makes `to` the owner in their own organisation, and `from`, a former owner, an admin. Ends what others could use. */
export async function giveGame(
  ctx: Context,
  tx: Tx,
  game: Game,
  { from, to }: { from: { id: string; name: string }; to: User },
): Promise<void> {
  await changeOwner(tx, game.game_id, { from: from.id, to: to.id });
  // The audit logs of both organisations get the change.
  await lockGame(tx, game.game_id);
  auditChange('owner', from.name, to.name);
  await endOffers(ctx, tx, game.game_id);
  await handOverApprovals(ctx, tx, { ...game, owner_id: to.id }, to);
}

/** Revokes everything that works without membership, and withdraws invitations by the former owners. */
async function endOffers(ctx: Context, tx: Tx, gameId: string): Promise<void> {
  const now = ctx.clock.now();
  await revokeDeployKeys(tx, gameId);
  await revokeSymbolToken(tx, gameId);
  await invitations.withdrawAll(tx, gameId, now);
  await team.withdrawAll(tx, gameId, now);
}

/** An operator's transfer to a person. The former owner becomes an admin, as after an accepted offer. */
export function transferByOperator(ctx: Context, gameId: string, to: User): Promise<void> {
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const game = await lockGame(tx, gameId);
      const emails = await emailsToOwners(tx, game, to.name);
      const from = await findUserById(tx, game.owner_id);
      await giveGame(ctx, tx, game, { from: from ?? { id: game.owner_id, name: '' }, to });
      await enqueueEmails(ctx, tx, 'game_transferred', emails);
    }),
  );
}

/**
 * An operator's move to an organisation. Its first owner becomes responsible, unless the one who was owns it too. Returns
 * false if the organisation has no owner who can.
 */
export function moveByOperator(
  ctx: Context,
  gameId: string,
  organisation: { organisation_id: string; name: string },
): Promise<boolean> {
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const game = await lockGame(tx, gameId);
      const { organisation_id: organisationId, name } = organisation;
      const [first] = (await listMembersOf(tx, organisationId)).filter(({ role }) => role === 'owner');
      if (first === undefined) return false;
      const emails = await emailsToOwners(tx, game, name);
      await moveGameRow(tx, gameId, { organisationId, owner: first.user_id });
      const moved = await lockGame(tx, gameId);
      auditChange('organisation', undefined, name);
      if (moved.owner_id === game.owner_id) return true;
      await endOffers(ctx, tx, gameId);
      const owner = await findUserById(tx, moved.owner_id);
      if (owner !== null) await handOverApprovals(ctx, tx, moved, owner);
      await enqueueEmails(ctx, tx, 'game_transferred', emails);
      return true;
    }),
  );
}

async function emailsToOwners(tx: Tx, game: Game, to: string) {
  const owners = await listOwners(tx, game.game_id);
  return owners.map(({ email }) => movedByOperatorEmail({ to: email, game: game.name, owner: to }));
}
