// What a person with the link to an invitation can do: view, accept or decline it. The invitation may be one of an
// admin or a transfer of the game, or one to an organisation or to a lower role on a game, which are stored in another
// table.

import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/invitations';
import { isAtLeast, mayGrant, type Role } from '@chauffeur/contract/roles';
import type { AccountCaller, Context, User } from '../../context.ts';
import { isMissingReference, retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { hashSecret } from '../../kernel/secrets/ids.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { isActive } from '../../people/accounts/accounts.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { listOwners, roleOnGame, setRole } from '../../people/game-access/game-access.sql.ts';
import { lockGame } from '../../people/game-access/game-access.ts';
import { roleIn, setMemberRoleWithin } from '../../people/organisations/organisations.sql.ts';
import { lockOrganisation } from '../../people/organisations/organisations.ts';
import { auditChange } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { transferredEmail } from './invitation-emails.ts';
import {
  findDeclineObstacle,
  findObstacle,
  type InvitationView,
  invitationViewOf,
  teamViewOf,
} from './invitation-view.ts';
import * as invitations from './invitations.sql.ts';
import * as team from './team-invitations.sql.ts';
import { giveGame } from './transfer.ts';

type Row = invitations.FoundInvitation;
type Obstacle = typeof findObstacle;

export const getInvitation = handle(contract.getInvitation, async (ctx, { caller: { user }, input: { token } }) => {
  const hash = hashSecret(token);
  const row = await invitations.findByToken(ctx.db, hash);
  if (row === undefined) {
    const view = await getTeamInvitation(ctx, user, hash);
    if (view === undefined) throw unknownInvitation();
    return view;
  }
  return invitationViewOf(row, user, ctx.clock.now());
});

/** Gives the person the role, once. Throws `invitationClosed`, `otherRecipient` and `emailNotVerified`. */
export const acceptInvitation = handle(contract.acceptInvitation, async (ctx, { caller, input: { token } }) => {
  const view = await answerTeamInvitation(ctx, caller, hashSecret(token), 'accepted');
  if (view !== undefined) return view;
  return respond(ctx, caller, token, findObstacle, async (tx, row, user) => {
    const { game_id: gameId } = row;
    if (row.role === 'owner') return transferGame(ctx, tx, row, user);
    const game = await lockGame(tx, gameId);
    const owners = await listOwners(tx, gameId);
    if (!owners.some(({ user_id: id }) => id === row.inviter_id)) throw endedBy(row);
    const current = await roleOnGame(tx, game.game_id, user.id);
    if (current === null || !isAtLeast(current, row.role)) {
      await setRole(tx, gameId, user.id, row.role);
      auditChange('member', { name: user.name, role: current }, { name: user.name, role: row.role });
    }
    await invitations.endInvitation(tx, row.invitation_id, 'accepted', ctx.clock.now());
  });
});

export const declineInvitation = handle(contract.declineInvitation, async (ctx, { caller, input: { token } }) => {
  const view = await answerTeamInvitation(ctx, caller, hashSecret(token), 'declined');
  if (view !== undefined) return view;
  return respond(ctx, caller, token, findDeclineObstacle, (tx, row) =>
    invitations.endInvitation(tx, row.invitation_id, 'declined', ctx.clock.now()),
  );
});

/** Runs `work` on the locked invitation, with the current data of the person, whose address may have changed. */
function respond(
  ctx: Context,
  caller: AccountCaller,
  token: string,
  obstacleOf: Obstacle,
  work: (tx: Tx, row: Row, user: User) => Promise<void>,
): Promise<InvitationView> {
  const hash = hashSecret(token);
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const unlocked = await invitations.findByToken(tx, hash);
      if (unlocked === undefined) throw unknownInvitation();
      // The lock on the game comes first, as everywhere, to avoid deadlocks.
      await lockGame(tx, unlocked.game_id);
      const row = await invitations.lockByToken(tx, hash);
      if (row === undefined) throw unknownInvitation();
      const user = await findUserById(tx, caller.user.id);
      if (user === null) throw errors.notSignedIn();
      const obstacle = obstacleOf(row, user, ctx.clock.now());
      if (obstacle !== null) throw obstacle;
      await work(tx, row, user);
      return invitationViewOf((await invitations.findByToken(tx, hash))!, user, ctx.clock.now());
    }),
  ).catch((cause: unknown) => {
    // The person deleted their account in the meantime.
    throw isMissingReference(cause) ? errors.notSignedIn(undefined, { cause }) : cause;
  });
}

/** Revokes everything that works without membership, and hands pending approvals to the new owner. */
async function transferGame(ctx: Context, tx: Tx, row: Row, user: User): Promise<void> {
  const now = ctx.clock.now();
  const game = await lockGame(tx, row.game_id);
  const owners = await listOwners(tx, game.game_id);
  const inviter = owners.find(({ user_id: id }) => id === row.inviter_id);
  if (inviter === undefined)
    throw errors.invitationClosed('The game has a new owner since this was sent. Ask them for an invitation.');
  await invitations.endInvitation(tx, row.invitation_id, 'accepted', now);
  await giveGame(ctx, tx, game, { from: { id: inviter.user_id, name: inviter.name }, to: user });
  const emails = owners.map(({ user_id: id, email: to }) =>
    transferredEmail({
      to,
      game: game.name,
      owner: user.name,
      by: inviter.name,
      isAdmin: id === inviter.user_id,
    }),
  );
  await enqueueEmails(ctx, tx, 'game_transferred', emails);
  ctx.log.info({ game: game.game_id, from: game.owner_id, to: user.id }, 'game transferred');
}

function unknownInvitation(): ApiError {
  return errors.notFound(
    'This invitation does not exist. A newer email may have replaced the link, or the game was deleted.',
  );
}

type TeamRow = team.FoundTeamInvitation;

/** Undefined if the token is not that of such an invitation. */
async function getTeamInvitation(ctx: Context, user: User, hash: Buffer): Promise<InvitationView | undefined> {
  const row = await team.findTeamInvitation(ctx.db, hash);
  return row && teamViewOf(row, user, ctx.clock.now());
}

/**
 * Accepts or declines, once. Undefined if the token is not that of such an invitation. Throws `invitationClosed`,
 * `otherRecipient` and `emailNotVerified`.
 */
async function answerTeamInvitation(
  ctx: Context,
  caller: AccountCaller,
  hash: Buffer,
  answer: 'accepted' | 'declined',
): Promise<InvitationView | undefined> {
  const unlocked = await team.findTeamInvitation(ctx.db, hash);
  if (unlocked === undefined) return undefined;
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      await lockTarget(tx, unlocked);
      const row = await team.lockTeamInvitationByToken(tx, hash);
      const user = await findUserById(tx, caller.user.id);
      if (user === null) throw errors.notSignedIn();
      if (row === undefined) throw errors.notFound('This invitation does not exist.');
      const now = ctx.clock.now();
      const obstacle = (answer === 'accepted' ? findObstacle : findDeclineObstacle)(row, user, now);
      if (obstacle !== null) throw obstacle;
      if (answer === 'accepted') await join(tx, row, user);
      await team.endInvitation(tx, row.invitation_id, answer, now);
      return teamViewOf({ ...row, state: answer }, user, now);
    }),
  ).catch((cause: unknown) => {
    // The person deleted their account in the meantime.
    throw isMissingReference(cause) ? errors.notSignedIn(undefined, { cause }) : cause;
  });
}

/** Locks the game or organisation, which comes first everywhere, to avoid deadlocks. */
async function lockTarget(tx: Tx, { game_id: gameId, organisation_id: organisationId }: TeamRow): Promise<void> {
  if (gameId !== null) await lockGame(tx, gameId);
  if (organisationId !== null) await lockOrganisation(tx, organisationId);
}

/**
 * Gives the person the role, unless they have a higher one. Throws `invitationClosed` if the inviter could not invite
 * them now.
 */
async function join(tx: Tx, row: TeamRow, user: User): Promise<void> {
  const { game_id: gameId, organisation_id: organisationId, inviter_id: inviterId, role } = row;
  const roleOf = async (userId: string): Promise<Role | null> =>
    gameId !== null ? roleOnGame(tx, gameId, userId) : roleIn(tx, organisationId ?? '', userId);
  const inviter = inviterId === null ? null : await roleOf(inviterId);
  const mayInvite = inviter !== null && (gameId !== null ? inviter === 'owner' : mayGrant(inviter, role));
  if (!mayInvite || inviterId === null || !(await isActive(tx, inviterId))) throw endedBy(row);
  const current = await roleOf(user.id);
  if (current !== null && isAtLeast(current, role)) return;
  if (organisationId !== null) await setMemberRoleWithin(tx, organisationId, user.id, role);
  else if (gameId !== null && role !== 'owner') await setRole(tx, gameId, user.id, role);
  auditChange('member', current && { name: user.name, role: current }, { name: user.name, role });
}

/** The error for an invitation whose sender could not send it now. */
function endedBy({ invited_by: name }: { readonly invited_by: string }): ApiError {
  return errors.invitationClosed(`${name}, who sent this, may no longer invite you. Ask for a new invitation.`);
}
