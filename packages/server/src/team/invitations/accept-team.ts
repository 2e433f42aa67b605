// Answers invitations to an organisation, or to a single game with a role below that of an admin.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { isAtLeast, mayGrant, type Role } from '@chauffeur/contract/roles';
import type { AccountCaller, Context, User } from '../../context.ts';
import { isMissingReference, retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { isActive } from '../../people/accounts/accounts.ts';
import { roleOnGame, setRole } from '../../people/games/games.sql.ts';
import { lockGame } from '../../people/games/games.ts';
import { roleIn, setMemberRoleWithin } from '../../people/organisations/organisations.sql.ts';
import { lockOrganisation } from '../../people/organisations/organisations.ts';
import { recordChange } from '../../request/audit.ts';
import { findDeclineObstacle, findObstacle } from './acceptable.ts';
import { type InvitationView, teamViewOf } from './record.ts';
import * as team from './team-invitations.sql.ts';

type Row = team.FoundTeamInvitation;

/** Undefined if the token is not of such an invitation. */
export async function getTeamInvitation(ctx: Context, user: User, hash: Buffer): Promise<InvitationView | undefined> {
  const row = await team.findByToken(ctx.db, hash);
  return row && teamViewOf(row, user, ctx.clock.now());
}

/**
 * Accepts or declines, once. Undefined if the token is not of such an invitation. Throws `invitationClosed`,
 * `otherRecipient` and `emailNotVerified`.
 */
export async function answerTeamInvitation(
  ctx: Context,
  caller: AccountCaller,
  hash: Buffer,
  answer: 'accepted' | 'declined',
): Promise<InvitationView | undefined> {
  const unlocked = await team.findByToken(ctx.db, hash);
  if (unlocked === undefined) return undefined;
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      await lockTarget(tx, unlocked);
      const row = await team.lockByToken(tx, hash);
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

/** The game or organisation is locked first, as everywhere, to avoid deadlocks. */
async function lockTarget(tx: Tx, { game_id: gameId, organisation_id: organisationId }: Row): Promise<void> {
  if (gameId !== null) await lockGame(tx, gameId);
  if (organisationId !== null) await lockOrganisation(tx, organisationId);
}

/**
 * Gives the person the role, unless they have a higher one. Throws `invitationClosed` if the inviter could not invite
 * them now.
 */
async function join(tx: Tx, row: Row, user: User): Promise<void> {
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
  recordChange('member', current && { name: user.name, role: current }, { name: user.name, role });
}

/** The error for an invitation whose sender could not send it now. */
export function endedBy({ invited_by: name }: { readonly invited_by: string }): ApiError {
  return errors.invitationClosed(`${name}, who sent this, may no longer invite you. Ask for a new invitation.`);
}
