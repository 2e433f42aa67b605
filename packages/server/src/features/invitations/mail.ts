// The mails about invitations and transfers.
import type { Mail } from '../../kernel/mail.ts';
import { oneLine, quote } from '../../kernel/mail-text.ts';

type Invitation = { to: string; role: 'admin' | 'owner'; game: string; invitedBy: string; url: string; days: number };

/** The same for everybody: whether the address has an account is not known when it is sent. */
export function invitationMail({ to, role, game, invitedBy, url, days }: Invitation): Mail {
  const [subject, offer, effect] =
    role === 'owner'
      ? [
          `Transfer of ${oneLine(game)}: accept or decline`,
          `${quote(invitedBy)} wants to make you the owner of the game ${quote(game)}.`,
          'If you accept, the game is yours: its builds, players, crash reports and settings. The current owner becomes an admin, and the deploy key is revoked.',
        ]
      : [
          `Invitation to ${oneLine(game)}`,
          `${quote(invitedBy)} invited you to be an admin of the game ${quote(game)}.`,
          'Admins can upload and promote builds, edit the store page, and read crash reports and bug tickets.',
        ];
  return {
    to,
    subject,
    text: [
      offer,
      effect,
      `Open this link within ${days} days to accept or decline:`,
      url,
      `Sign in with the account of ${to}, or create one with this address first.`,
      'If you don’t know the sender, ignore this mail: nothing happens unless you accept.\n',
    ].join('\n\n'),
  };
}

/** For the former owner, who may not have been the one who asked for it. */
export function transferredMail({ to, game, owner }: { to: string; game: string; owner: string }): Mail {
  return {
    to,
    subject: `${oneLine(game)} was transferred`,
    text: [
      `${quote(owner)} accepted the transfer and now owns the game ${quote(game)}. You are one of its admins.`,
      'Its deploy key and the address for symbols were revoked. Create a new key before the next upload.\n',
    ].join('\n\n'),
  };
}
