// The words of the mail that warns a game’s owner before its storage is used up.
import { PAGES } from '@chauffeur/contract/pages';
import { sayBytes } from '@chauffeur/contract/sizes';
import type { Mail } from '../../kernel/mail.ts';

type Warning = { email: string; game: string; slug: string; used: number; quota: number; site: string };

const MAX_NAME = 200;

export function storageMail({ email, game, slug, used, quota, site }: Warning): Mail {
  const name = game.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, MAX_NAME);
  const percent = Math.floor((100 * used) / quota);
  return {
    to: email,
    subject: `${name} has used ${percent}% of its storage`,
    text: [
      `The builds and symbols of “${name}” use ${sayBytes(used)} of ${sayBytes(quota)}.`,
      'When the storage is full, uploads are refused. Delete builds that are no longer needed to make room:',
      `${site}${PAGES.builds.replace(':uid', slug)}`,
      'You get this mail once, and again only after there has been enough room in between.\n',
    ].join('\n\n'),
  };
}
