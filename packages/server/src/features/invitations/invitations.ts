// Invitations to a game, sent by its owner: to be an admin, or to be its owner, which transfers it. Listed, sent again, withdrawn.
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/invitations';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY, MINUTE, SECOND } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { countUse } from '../../kernel/rate-limit.ts';
import { enqueueMail } from '../accounts/accounts.ts';
import { requirePassword } from '../accounts/password.ts';
import { type Game, listMembers, lockGame, requireOwner } from '../games/games.ts';
import * as invitations from './invitations.sql.ts';
import { invitationMail } from './mail.ts';
import { type InvitationRecord, recordOf } from './record.ts';
import { hashOfToken, newToken } from './token.ts';

type Role = 'admin' | 'owner';

const VALID_DAYS = 7;
/** Between two mails of one invitation. */
const MIN_INTERVAL = MINUTE;
const MAX_LISTED = 200;

/**
 * Invites a person to be an admin. Nothing is looked up about the address but whether it belongs to a member of the game, so the answer
 * and the time that it takes are the same whether or not it has an account.
 */
export function inviteAdmin(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.inviteAdmin>,
): Promise<InvitationRecord> {
  return invite(ctx, caller, input.uid, 'admin', input.email);
}

/** Nothing changes until the person accepts. */
export async function offerTransfer(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.offerTransfer>,
): Promise<InvitationRecord> {
  await requireOwner(ctx, caller, input.uid);
  await requirePassword(ctx, caller.user.id, input.password);
  return invite(ctx, caller, input.uid, 'owner', input.email);
}

/** To invite somebody again sends the mail again. Throws 4096, 4233, 4235 and 4290. */
async function invite(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  role: Role,
  address: string,
): Promise<InvitationRecord> {
  const email = address.toLowerCase();
  return asOwner(ctx, caller, ref, async (tx, game) => {
    if (!caller.user.emailVerified) throw new ApiError(4096, 'Verify your email address before you invite others.');
    await requireNoMember(tx, game, role, email);
    const pending = await invitations.findPending(tx, game.game_id, role, role === 'admin' ? email : null);
    if (pending !== undefined && (pending.email === email || pending.expires_at > ctx.clock.now())) {
      if (pending.email !== email)
        throw new ApiError(4235, `The game is already offered to ${pending.email}; withdraw that offer first.`);
      return sendAgain(ctx, tx, caller, game, pending);
    }
    // An offer to somebody else that has expired makes room for this one.
    if (pending !== undefined) await invitations.endInvitation(tx, pending.invitation_id, 'withdrawn', ctx.clock.now());
    return sendFirst(ctx, tx, caller, game, role, email);
  });
}

/** Runs `work` in a transaction in which the caller stays the owner of the game. */
async function asOwner<T>(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  work: (tx: Tx, game: Game) => Promise<T>,
): Promise<T> {
  const { game_id: gameId } = await requireOwner(ctx, caller, ref);
  return transact(ctx.db, async (tx) => {
    const game = await lockGame(tx, gameId);
    if (game.owner_id !== caller.user.id) throw new ApiError(4031, 'Only the owner of the game may do this.');
    return work(tx, game);
  });
}

async function requireNoMember(tx: Tx, game: Game, role: Role, email: string): Promise<void> {
  const member = (await listMembers(tx, game.game_id)).find((each) => each.email === email);
  if (member === undefined || (role === 'owner' && member.role === 'admin')) return;
  throw new ApiError(4233, `email: ${email} is ${member.role === 'owner' ? 'the owner' : 'an admin'} already.`);
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
    token_hash: hashOfToken(token),
    now,
    expires_at: expiresAt,
  });
  await mail(ctx, tx, game, row, token);
  return recordOf(row, now);
}

async function sendAgain(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  game: Game,
  pending: invitations.InvitationRow,
): Promise<InvitationRecord> {
  const { token, now, expiresAt } = newLink(ctx);
  const wait = Math.ceil((pending.sent_at.getTime() + MIN_INTERVAL - now.getTime()) / SECOND);
  if (wait > 0)
    throw new ApiError(4290, `The invitation was sent less than a minute ago; try again in ${wait} s.`, {
      data: { retry_after: wait },
    });
  if (caller.user.id !== pending.inviter_id) throw new ApiError(4230);
  const row = await invitations.renewInvitation(tx, pending.invitation_id, {
    tokenHash: hashOfToken(token),
    now,
    expiresAt,
  });
  await mail(ctx, tx, game, row, token);
  return recordOf(row, now);
}

function newLink(ctx: Context) {
  const now = ctx.clock.now();
  return { token: newToken(), now, expiresAt: new Date(now.getTime() + VALID_DAYS * DAY) };
}

/** Throws 4290 when the owner has sent too many within the hour, whichever their games. */
async function mail(
  ctx: Context,
  tx: Tx,
  game: Game,
  { email, role, invited_by: invitedBy }: invitations.InvitationRow,
  token: string,
): Promise<void> {
  const limit = { name: 'invitations', most: ctx.config.limitInvitations, windowSeconds: 3600, of: 'account' } as const;
  await countUse(tx, ctx.clock, game.owner_id, limit);
  const url = `${ctx.publicUrl}/invitations/${token}`;
  await enqueueMail(tx, invitationMail({ to: email, role, game: game.name, invitedBy, url, days: VALID_DAYS }));
}

export async function listInvitations(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.listInvitations>,
): Promise<OutputOf<typeof contract.listInvitations>> {
  const game = await requireOwner(ctx, caller, input.uid);
  const found = await invitations.listOpen(ctx.db, game.game_id, MAX_LISTED);
  return { invitations: found.map((row) => recordOf(row, ctx.clock.now())) };
}

export function resendInvitation(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.resendInvitation>,
): Promise<InvitationRecord> {
  return asOwner(ctx, caller, input.uid, async (tx, game) => {
    const row = await lockOwn(tx, game, input.invitation_uid);
    if (row.state !== 'pending') throw new ApiError(4230, `The invitation was ${row.state}; invite the person again.`);
    return sendAgain(ctx, tx, caller, game, row);
  });
}

export function withdrawInvitation(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.withdrawInvitation>,
): Promise<OutputOf<typeof contract.withdrawInvitation>> {
  return asOwner(ctx, caller, input.uid, async (tx, game) => {
    const row = await lockOwn(tx, game, input.invitation_uid);
    if (row.state === 'accepted') throw new ApiError(4230, 'The invitation was accepted already.');
    if (row.state !== 'withdrawn') await invitations.endInvitation(tx, row.invitation_id, 'withdrawn', ctx.clock.now());
    return { invitation_uid: row.invitation_id };
  });
}

async function lockOwn(tx: Tx, game: Game, uid: string): Promise<invitations.InvitationRow> {
  const row = await invitations.lockInvitation(tx, game.game_id, uid);
  if (row === undefined) throw new ApiError(4040, 'invitation_uid: this game has no such invitation.');
  return row;
}
