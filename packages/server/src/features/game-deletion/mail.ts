// The mail that tells the members of a game that it was deleted.
import type { Mail } from '../../kernel/mail.ts';
import { oneLine, quote } from '../../kernel/mail-text.ts';

export function deletionMail({ to, game, by }: { to: string; game: string; by: string }): Mail {
  return {
    to,
    subject: `${oneLine(game)} was deleted`,
    text: [
      `${quote(by)}, the owner, deleted the game ${quote(game)} with its builds, store page, crash reports, events and bug tickets.`,
      'This cannot be undone. If it comes as a surprise, talk to the owner, or to the operator of this service.\n',
    ].join('\n\n'),
  };
}
