// Invitations to an organisation, or to a single game with a role below that of an admin: created, listed, resent and
// withdrawn.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/organisations';
import { isAtLeast, mayGrant, type Role } from '@chauffeur/contract/roles';
import type { AccountCaller, Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { hashSecret, newId } from '../../kernel/secrets/ids.ts';
import { requireEmail } from '../../people/emails/emails.ts';
import { listMembersOf } from '../../people/organisations/organisations.sql.ts';
import {
  changeOrganisation,
  type Organisation,
  requireOrganisation,
} from '../../people/organisations/organisations.ts';
import { handle } from '../../request/route.ts';
import { countInvitation, newLink, requireInterval, teamInvitationEmail, VALID_DAYS } from './invitation-emails.ts';
import { type InvitationRecord, invitationRecordOf } from './invitation-view.ts';
import * as team from './team-invitations.sql.ts';

const MAX_LISTED = 200;

/**
 * Throws `notAllowed` for a role above that of the caller, `ownerNotVerified`, `sameRole` for a member, and
 * `limitReached`.
 */
export const inviteMember = handle(contract.inviteMember, (ctx, { caller, input }) => {
  const email = input.email.toLowerCase();
  return changeOrganisation(ctx, caller, input.organisation, async (tx, organisation, by) => {
    requireGrant(by, input.role);
    const member = (await listMembersOf(tx, organisation.organisation_id)).find((each) => each.email === email);
    if (member !== undefined && isAtLeast(member.role, input.role))
      throw errors.sameRole(`email: ${email} already has the role ${member.role}.`);
    return invite(ctx, tx, caller, targetOf(organisation), { role: input.role, email });
  });
});

function requireGrant(by: Role, role: Role): void {
  if (!mayGrant(by, role)) throw errors.notAllowed(`Only owners can invite an owner. Your role is ${by}.`);
}

function targetOf({ organisation_id: id, name }: Organisation): team.InvitationTarget {
  return { kind: 'organisation', id, name };
}

/** Sends the first email, or sends it again with the new role. The caller may grant the role. */
export async function invite(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  target: team.InvitationTarget,
  { role, email }: { role: Role; email: string },
): Promise<InvitationRecord> {
  if (!caller.user.emailVerified) throw errors.ownerNotVerified('Verify your email before you invite others.');
  const pending = await team.findPendingTeamInvitation(tx, target, email);
  if (pending !== undefined) return send(ctx, tx, caller, target, { ...pending, role });
  return send(ctx, tx, caller, target, { role, email });
}

type Sending = { role: Role; email: string; invitation_id?: string; sent_at?: Date };

async function send(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  target: team.InvitationTarget,
  { role, email, invitation_id: existing, sent_at: sentAt }: Sending,
): Promise<InvitationRecord> {
  const { token, now, expiresAt } = newLink(ctx);
  if (sentAt !== undefined) requireInterval(sentAt, now);
  const { id: inviterId, name: invitedBy } = caller.user;
  const sent = { role, inviterId, invitedBy, tokenHash: hashSecret(token), now, expiresAt };
  const row =
    existing === undefined
      ? await team.insertTeamInvitation(tx, target, { ...sent, invitationId: newId(), email })
      : await team.renewTeamInvitation(tx, existing, sent);
  await countInvitation(ctx, tx, caller);
  const url = `${ctx.publicUrl}/invitations/${token}`;
  const message = teamInvitationEmail({ to: email, role, target, url, days: VALID_DAYS });
  const cause = { accountId: inviterId, ...(target.kind === 'game' && { gameId: target.id }) };
  await requireEmail(ctx, tx, 'team_invitation', message, cause);
  return invitationRecordOf(row, now);
}

export const listMemberInvitations = handle(contract.listMemberInvitations, async (ctx, { caller, input }) => {
  const { organisation } = await requireOrganisation(ctx, caller, input.organisation);
  return { invitations: await listTeamInvitations(ctx, targetOf(organisation)) };
});

export async function listTeamInvitations(ctx: Context, target: team.InvitationTarget): Promise<InvitationRecord[]> {
  const open = await team.listOpenTeamInvitations(ctx.db, target, MAX_LISTED);
  return open.map((row) => invitationRecordOf(row, ctx.clock.now()));
}

export const resendMemberInvitation = handle(contract.resendMemberInvitation, (ctx, { caller, input }) => {
  return changeOrganisation(ctx, caller, input.organisation, async (tx, organisation, by) => {
    const row = await team.lockTeamInvitation(tx, targetOf(organisation), input.invitation_uid);
    if (row === undefined) throw unknownInvitation();
    requireGrant(by, row.role);
    return resend(ctx, tx, caller, targetOf(organisation), row);
  });
});

export function resend(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  target: team.InvitationTarget,
  row: team.TeamInvitationRow,
): Promise<InvitationRecord> {
  if (row.state !== 'pending')
    throw errors.invitationClosed(`The invitation was ${row.state}. Invite the person again.`);
  return send(ctx, tx, caller, target, row);
}

export const withdrawMemberInvitation = handle(contract.withdrawMemberInvitation, (ctx, { caller, input }) => {
  return changeOrganisation(ctx, caller, input.organisation, async (tx, organisation) => {
    const row = await team.lockTeamInvitation(tx, targetOf(organisation), input.invitation_uid);
    if (row === undefined) throw unknownInvitation();
    return withdraw(ctx, tx, row);
  });
});

export async function withdraw(ctx: Context, tx: Tx, row: team.TeamInvitationRow): Promise<{ invitation_uid: string }> {
  if (row.state === 'accepted') throw errors.invitationClosed('The invitation was already accepted.');
  if (row.state !== 'withdrawn') await team.endInvitation(tx, row.invitation_id, 'withdrawn', ctx.clock.now());
  return { invitation_uid: row.invitation_id };
}

function unknownInvitation(): ApiError {
  return errors.notFound('invitation_uid: this organisation has no such invitation.');
}
