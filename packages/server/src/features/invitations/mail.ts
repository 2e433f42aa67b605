// The emails about invitations and transfers of games.
import { ROLES, type Role } from '@chauffeur/contract/roles';
import type { Mail } from '../../kernel/mail/mail.ts';
import { oneLine, quote } from '../../kernel/mail/mail-text.ts';
import type { Target } from './team-invitations.sql.ts';

type Transferred = { to: string; game: string; owner: string; by: string; isAdmin: boolean };
type Invitation = { to: string; role: 'admin' | 'owner'; game: string; invitedBy: string; url: string; days: number };

/** The same text for everyone: it must not reveal whether the address has an account. */
export function invitationMail({ to, role, game, invitedBy, url, days }: Invitation): Mail {
  const { subject, offer, effect } = role === 'owner' ? transferOffer(game, invitedBy) : adminOffer(game, invitedBy);
  return {
    to,
    subject,
    text: [
      offer,
      effect,
      'Accept or decline:',
      url,
      `The link expires in ${days} days. Sign in as ${to}, or create an account with this address first.`,
      "If you don't know the sender, ignore this email. Nothing happens unless you accept.\n",
    ].join('\n\n'),
  };
}

type TeamInvitation = Omit<Invitation, 'role' | 'game'> & { role: Role; target: Target };

/** The same text for everyone: it must not reveal whether the address has an account. */
export function teamInvitationMail({ to, role, target, invitedBy, url, days }: TeamInvitation): Mail {
  return {
    to,
    subject: `Invitation to ${oneLine(target.name)}`,
    text: [
      `${quote(invitedBy)} invited you to the ${target.kind} ${quote(target.name)} with the role ${role}.`,
      ROLES[role].summary,
      'Accept or decline:',
      url,
      `The link expires in ${days} days. Sign in as ${to}, or create an account with this address first.`,
      "If you don't know the sender, ignore this email. Nothing happens unless you accept.\n",
    ].join('\n\n'),
  };
}

function adminOffer(game: string, invitedBy: string) {
  return {
    subject: `Invitation to ${oneLine(game)}`,
    offer: `${quote(invitedBy)} invited you to be an admin of the game ${quote(game)}.`,
    effect: 'Admins can upload and promote builds, edit the store page, and read crash reports and bug tickets.',
  };
}

function transferOffer(game: string, invitedBy: string) {
  return {
    subject: `Transfer of ${oneLine(game)}: accept or decline`,
    offer: `${quote(invitedBy)} wants to make you the owner of the game ${quote(game)}.`,
    effect:
      'If you accept, you get the game with its builds, players, crash reports and settings. The current owner becomes an admin, and the deploy key is revoked.',
  };
}

/** Sent to the former owners, in case someone else made the offer from the account of one of them. */
export function transferredMail({ to, game, owner, by, isAdmin }: Transferred): Mail {
  const effect = isAdmin ? 'You are now an admin.' : `${quote(by)} offered it to them.`;
  return {
    to,
    subject: `${oneLine(game)} was transferred`,
    text: [
      `${quote(owner)} accepted the transfer and now owns the game ${quote(game)}. ${effect}`,
      'Its deploy key and symbol server URL were revoked. The new owner can create a new key on the edit page.\n',
    ].join('\n\n'),
  };
}
