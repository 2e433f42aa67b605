// The email that warns a game's owner before its storage is full.
import { formatBytes } from '@chauffeur/contract/format';
import { PAGES } from '@chauffeur/contract/pages';
import type { Mail } from '../../kernel/mail/mail.ts';
import { oneLine, quote } from '../../kernel/mail/mail-text.ts';

type Warning = { email: string; game: string; slug: string; used: number; quota: number; site: string };

export function storageMail({ email, game, slug, used, quota, site }: Warning): Mail {
  const percent = Math.floor((100 * used) / quota);
  return {
    to: email,
    subject: `${oneLine(game)} has used ${percent}% of its storage`,
    text: [
      `The builds, symbols and event files of ${quote(game)} use ${formatBytes(used)} of ${formatBytes(quota)}.`,
      "When the storage is full, uploads fail. Delete builds that you don't need:",
      `${site}${PAGES.builds.replace(':uid', slug)}`,
      "You won't get another warning unless usage drops first.\n",
    ].join('\n\n'),
  };
}
