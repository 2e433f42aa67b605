// The links of invitations: how long they are valid, how often they are sent, and the emails with them.

import { errors } from '@chauffeur/contract/errors';
import { ROLE_SUMMARIES, type Role } from '@chauffeur/contract/roles';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY, MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, plainName, quote } from '../../kernel/email/html-email.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newSecret } from '../../kernel/secrets/ids.ts';
import type { InvitationTarget } from './team-invitations.sql.ts';

/** The length of a token, which has about 232 bits. */
const TOKEN_LENGTH = 40;
export const VALID_DAYS = 7;
/** The minimum time between two emails of one invitation. */
const MIN_INTERVAL = MINUTE;

export function newLink(ctx: Context) {
  const now = ctx.clock.now();
  return { token: newSecret(TOKEN_LENGTH), now, expiresAt: new Date(now.getTime() + VALID_DAYS * DAY) };
}

/** Throws `limitReached` if the last email was sent less than a minute ago. */
export function requireInterval(sentAt: Date, now: Date): void {
  const wait = Math.ceil((sentAt.getTime() + MIN_INTERVAL - now.getTime()) / SECOND);
  if (wait > 0)
    throw errors.limitReached(`The invitation was sent less than a minute ago. Try again in ${wait} s.`, {
      data: { retry_after: wait },
    });
}

/**
 * Throws `limitReached` if the person has sent too many invitations within an hour, for all their games and
 * organisations.
 */
export async function countInvitation(ctx: Context, tx: Tx, { user }: AccountCaller): Promise<void> {
  const limit = {
    name: 'invitations',
    max: ctx.config.limitInvitations,
    windowSeconds: 3600,
    scope: 'account',
  } as const;
  await countUse(ctx, tx, user.id, limit);
}

type Transferred = { to: string; game: string; owner: string; by: string; isAdmin: boolean };
type Invitation = { to: string; role: 'admin' | 'owner'; game: string; url: string; days: number };

/**
 * Writes the same text to everyone: it must not reveal whether the address has an account. Anyone can invite any
 * address, so the only text of others is the name of the game. The page of the link says who sent it.
 */
export function invitationEmail({ to, role, game, url, days }: Invitation): Email {
  const { subject, offer, effect } = role === 'owner' ? transferOffer(game) : adminOffer(game);
  return {
    to,
    language: 'en',
    subject,
    text: [
      offer,
      effect,
      'Accept or decline:',
      url,
      `The link expires in ${days} days. Sign in as ${to}, or create an account with this address first.`,
      "If you didn't expect this, ignore this email. Nothing happens unless you accept.\n",
    ].join('\n\n'),
  };
}

type TeamInvitation = Omit<Invitation, 'role' | 'game'> & { role: Role; target: InvitationTarget };

/** Writes an email like `invitationEmail`, with the name of the organisation or the game. */
export function teamInvitationEmail({ to, role, target, url, days }: TeamInvitation): Email {
  return {
    to,
    language: 'en',
    subject: `Invitation to ${plainName(target.name)}`,
    text: [
      `You were invited to the ${target.kind} ${quote(plainName(target.name))} with the role ${role}.`,
      ROLE_SUMMARIES[role],
      'Accept or decline:',
      url,
      `The link expires in ${days} days. Sign in as ${to}, or create an account with this address first.`,
      "If you didn't expect this, ignore this email. Nothing happens unless you accept.\n",
    ].join('\n\n'),
  };
}

function adminOffer(game: string) {
  return {
    subject: `Invitation to ${plainName(game)}`,
    offer: `You were invited to be an admin of the game ${quote(plainName(game))}.`,
    effect: 'Admins can upload and promote builds, edit the store page, and read crash reports and bug tickets.',
  };
}

function transferOffer(game: string) {
  return {
    subject: `Transfer of ${plainName(game)}: accept or decline`,
    offer: `The owner of the game ${quote(plainName(game))} wants to make you its new owner.`,
    effect:
      'If you accept, you get the game with its builds, players, crash reports and settings. The current owner becomes an admin, and the deploy key is revoked.',
  };
}

/** Writes to the former owners of a game that an operator gave to a person or an organisation. */
export function movedByOperatorEmail({ to, game, owner }: { to: string; game: string; owner: string }): Email {
  return {
    to,
    subject: `${oneLine(game)} was transferred`,
    text: [
      `An operator of this server transferred the game ${quote(game)} to ${quote(owner)}.`,
      "Its deploy key and symbol server URL were revoked. If you didn't expect this, contact the operator.\n",
    ].join('\n\n'),
  };
}

/** Writes to the former owners, in case someone else made the offer from the account of one of them. */
export function transferredEmail({ to, game, owner, by, isAdmin }: Transferred): Email {
  const effect = isAdmin ? 'You are now an admin.' : `${quote(by)} offered it to them.`;
  return {
    to,
    subject: `${oneLine(game)} was transferred`,
    text: [
      `${quote(owner)} accepted the transfer and now owns the game ${quote(game)}. ${effect}`,
      'Its deploy key and symbol server URL were revoked. The new owner can create a new key in its settings.\n',
    ].join('\n\n'),
  };
}
