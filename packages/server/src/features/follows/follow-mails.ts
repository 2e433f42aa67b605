// The mails to people who follow a game.
import type { Mail } from '../../kernel/mail/mail.ts';
import { oneLine, quote } from '../../kernel/mail/mail-text.ts';

type Named = { readonly name: string };

export function confirmationMail(to: string, game: Named, link: string): Mail {
  return {
    to,
    subject: oneLine(`Confirm that you follow ${game.name}`),
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: [
      `To get a mail about each release of ${quote(game.name)}, open this link within two days:`,
      link,
      "If you didn't ask for this, ignore this mail. You will get no other.\n",
    ].join('\n\n'),
  };
}

export function alreadyFollowingMail(to: string, game: Named, links: { page: string; end: string }): Mail {
  return {
    to,
    subject: oneLine(`You already follow ${game.name}`),
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: [
      `You already get a mail about each release of ${quote(game.name)}:\n${links.page}`,
      `-- \nUnsubscribe: ${links.end}\n`,
    ].join('\n\n'),
  };
}

export type Announcement = {
  readonly version: string;
  readonly title: string;
  readonly changes: readonly { readonly title: string }[];
};

type Links = {
  readonly page: string;
  /** The page that asks before it unsubscribes. */
  readonly endPage: string;
  /** Unsubscribes by a POST (RFC 8058). */
  readonly end: string;
};

/** `id` is that of the mail, so that a repeated one is shown once. */
export function releaseMail(
  to: string,
  game: Named,
  { version, title, changes, id }: Announcement & { id: string },
  { page, endPage, end }: Links,
): Mail {
  return {
    to,
    id,
    subject: oneLine(`${game.name} ${version}`),
    headers: {
      'List-Unsubscribe': `<${end}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
    text: [
      `${quote(game.name)} ${oneLine(version)} is out${title === '' || title === version ? '' : `: ${oneLine(title)}`}.`,
      ...(changes.length > 0 ? [changes.map((change) => `- ${oneLine(change.title)}`).join('\n')] : []),
      page,
      `-- \nYou get this mail because you follow ${quote(game.name)}.\nUnsubscribe: ${endPage}\n`,
    ].join('\n\n'),
  };
}
