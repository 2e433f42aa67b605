// Invitations sent by the owners of a game, to a role on it or to become its new owner: created, listed, resent and
// withdrawn.

import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/invitations';
import { type Role as GameRole, isAtLeast } from '@chauffeur/contract/roles';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { hashSecret, newId } from '../../kernel/secrets/ids.ts';
import { requirePassword } from '../../people/accounts/accounts.ts';
import { requireEmail } from '../../people/emails/emails.ts';
import { listMembers } from '../../people/game-access/game-access.sql.ts';
import { type Game, lockGame, requireOwner, requireRole, roleOf } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { countInvitation, invitationEmail, newLink, requireInterval, VALID_DAYS } from './invitation-emails.ts';
import { type InvitationRecord, invitationRecordOf } from './invitation-view.ts';
import * as invitations from './invitations.sql.ts';
import { forgetInvitations } from './invitations.sql.ts';
import {
  forgetInvitations as forgetTeamInvitations,
  type InvitationTarget,
  lockTeamInvitation,
} from './team-invitations.sql.ts';
import { invite as inviteToTeam, listTeamInvitations, resend as resendToTeam, withdraw } from './team-invitations.ts';

type Role = 'admin' | 'owner';

const MAX_LISTED = 200;

/**
 * Invites a person to a role on the game. The address is only compared with the members of the game, so neither the
 * response nor its time reveals whether it has an account.
 */
export const inviteAdmin = handle(contract.inviteAdmin, (ctx, { caller, input }) => {
  const { role = 'admin' } = input;
  if (role === 'admin') return invite(ctx, caller, input.uid, role, input.email);
  const email = input.email.toLowerCase();
  return asOwner(ctx, caller, input.uid, async (tx, game) => {
    await requireNoMember(tx, game, role, email);
    return inviteToTeam(ctx, tx, caller, targetOf(game), { role, email });
  });
});

/** Offers the game to a new owner. Nothing changes until they accept. */
export const offerTransfer = handle(contract.offerTransfer, async (ctx, { caller, input }) => {
  await requireOwner(ctx, caller, input.uid);
  await requirePassword(ctx, caller.user.id, input.password);
  return invite(ctx, caller, input.uid, 'owner', input.email);
});

/**
 * Invites a person, or resends the email to someone who was invited before. Throws `ownerNotVerified`, `sameRole`,
 * `transferUnderWay` and `limitReached`.
 */
async function invite(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  role: Role,
  address: string,
): Promise<InvitationRecord> {
  const email = address.toLowerCase();
  return asOwner(ctx, caller, ref, async (tx, game) => {
    if (!caller.user.emailVerified) throw errors.ownerNotVerified('Verify your email before you invite others.');
    await requireNoMember(tx, game, role, email);
    const pending = await invitations.findPendingInvitation(tx, game.game_id, role, role === 'admin' ? email : null);
    if (pending !== undefined && (pending.email === email || pending.expires_at > ctx.clock.now())) {
      if (pending.email !== email)
        throw errors.transferUnderWay(`The game is already offered to ${pending.email}. Withdraw that offer first.`);
      return resend(ctx, tx, caller, game, pending);
    }
    // This offer replaces an expired offer to another person.
    if (pending !== undefined) await invitations.endInvitation(tx, pending.invitation_id, 'withdrawn', ctx.clock.now());
    return sendFirst(ctx, tx, caller, game, role, email);
  });
}

/** Runs `work` in a transaction in which the caller stays an owner of the game. */
async function asOwner<T>(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  work: (tx: Tx, game: Game) => Promise<T>,
): Promise<T> {
  const { game_id: gameId } = await requireOwner(ctx, caller, ref);
  return transact(ctx.db, async (tx) => {
    const game = await lockGame(tx, gameId);
    requireRole((await roleOf(tx, game, caller)) ?? 'viewer', 'owner');
    return work(tx, game);
  });
}

function targetOf({ game_id: id, name }: Game): InvitationTarget {
  return { kind: 'game', id, name };
}

async function requireNoMember(tx: Tx, game: Game, role: GameRole, email: string): Promise<void> {
  const member = (await listMembers(tx, game.game_id)).find((each) => each.email === email);
  if (member === undefined || !isAtLeast(member.role, role)) return;
  throw errors.sameRole(`email: ${email} already has the role ${member.role}.`);
}

async function sendFirst(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  game: Game,
  role: Role,
  email: string,
): Promise<InvitationRecord> {
  const { token, now, expiresAt } = newLink(ctx);
  const row = await invitations.insertInvitation(tx, {
    game_id: game.game_id,
    invitation_id: newId(),
    role,
    email,
    inviter_id: caller.user.id,
    invited_by: caller.user.name,
    token_hash: hashSecret(token),
    now,
    expires_at: expiresAt,
  });
  await sendInvitation(ctx, tx, caller, game, row, token);
  return invitationRecordOf(row, now);
}

async function resend(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  game: Game,
  pending: invitations.InvitationRow,
): Promise<InvitationRecord> {
  const { token, now, expiresAt } = newLink(ctx);
  requireInterval(pending.sent_at, now);
  if (caller.user.id !== pending.inviter_id) throw errors.invitationClosed();
  const row = await invitations.renewInvitation(tx, pending.invitation_id, {
    tokenHash: hashSecret(token),
    now,
    expiresAt,
  });
  await sendInvitation(ctx, tx, caller, game, row, token);
  return invitationRecordOf(row, now);
}

/** Emails the link. Throws `limitReached`. */
async function sendInvitation(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  game: Game,
  { email, role }: invitations.InvitationRow,
  token: string,
): Promise<void> {
  await countInvitation(ctx, tx, caller);
  const url = `${ctx.publicUrl}/invitations/${token}`;
  const message = invitationEmail({ to: email, role, game: game.name, url, days: VALID_DAYS });
  const cause = { accountId: caller.user.id, gameId: game.game_id };
  await requireEmail(ctx, tx, role === 'owner' ? 'transfer' : 'invitation', message, cause);
}

export const listInvitations = handle(contract.listInvitations, async (ctx, { caller, input }) => {
  const game = await requireOwner(ctx, caller, input.uid);
  const open = await invitations.listOpenInvitations(ctx.db, game.game_id, MAX_LISTED);
  const lower = await listTeamInvitations(ctx, targetOf(game));
  const all = [...open.map((row) => invitationRecordOf(row, ctx.clock.now())), ...lower];
  return { invitations: all.toSorted((a, b) => (a.invitation_uid < b.invitation_uid ? 1 : -1)).slice(0, MAX_LISTED) };
});

export const resendInvitation = handle(contract.resendInvitation, (ctx, { caller, input }) => {
  return asOwner(ctx, caller, input.uid, async (tx, game) => {
    const lower = await lockTeamInvitation(tx, targetOf(game), input.invitation_uid);
    if (lower !== undefined) return resendToTeam(ctx, tx, caller, targetOf(game), lower);
    const row = await requireInvitation(tx, game, input.invitation_uid);
    if (row.state !== 'pending')
      throw errors.invitationClosed(`The invitation was ${row.state}. Invite the person again.`);
    return resend(ctx, tx, caller, game, row);
  });
});

export const withdrawInvitation = handle(contract.withdrawInvitation, (ctx, { caller, input }) => {
  return asOwner(ctx, caller, input.uid, async (tx, game) => {
    const lower = await lockTeamInvitation(tx, targetOf(game), input.invitation_uid);
    if (lower !== undefined) return withdraw(ctx, tx, lower);
    const row = await requireInvitation(tx, game, input.invitation_uid);
    if (row.state === 'accepted') throw errors.invitationClosed('The invitation was already accepted.');
    if (row.state !== 'withdrawn') await invitations.endInvitation(tx, row.invitation_id, 'withdrawn', ctx.clock.now());
    return { invitation_uid: row.invitation_id };
  });
});

async function requireInvitation(tx: Tx, game: Game, uid: string): Promise<invitations.InvitationRow> {
  const row = await invitations.lockInvitation(tx, game.game_id, uid);
  if (row === undefined) throw errors.notFound('invitation_uid: this game has no such invitation.');
  return row;
}

/** Deletes old invitations with the addresses of the people who were invited. */
export const forgetInvitationsJob = defineJob(
  'invitations:forget',
  { attempts: 3, cron: '33 3 * * *', deletesOld: true },
  forgetOldInvitations,
);

/** Until then, the link shows the state of the invitation, and the owner can resend it. */
const KEPT_DAYS = 30;

export async function forgetOldInvitations(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - KEPT_DAYS * DAY);
  await forgetInvitations(ctx.db, before);
  await forgetTeamInvitations(ctx.db, before);
}
