// The email to the members of a game that was deleted.
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';

export function deletionEmail({ to, game, by }: { to: string; game: string; by: string }): Email {
  return {
    to,
    subject: `${oneLine(game)} was deleted`,
    text: [
      `${quote(by)}, its owner, deleted the game ${quote(game)} with its builds, store page, crash reports, events and bug tickets.`,
      "This can't be undone. If you didn't expect it, contact the owner or the operator of this server.\n",
    ].join('\n\n'),
  };
}
