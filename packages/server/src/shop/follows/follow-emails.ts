// The emails to people who follow a game, in the language in which they followed it.
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { formatReleasePart } from '@chauffeur/contract/texts/download-texts';
import type { Language } from '@chauffeur/contract/texts/messages';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, plainName, quote } from '../../kernel/email/html-email.ts';

type Named = { readonly name: string };

export function confirmationEmail(to: string, language: Language, game: Named, link: string): Email {
  const texts = textsOf(language);
  return {
    to,
    language,
    subject: texts.t('mail.follow.subject', { game: plainName(game.name) }),
    text: [
      texts.t('mail.follow', { game: quote(plainName(game.name), language) }),
      link,
      `${texts.t('mail.follow.ignore')}\n`,
    ].join('\n\n'),
  };
}

export function alreadyFollowingEmail(
  to: string,
  language: Language,
  game: Named,
  links: { page: string; end: string },
): Email {
  const texts = textsOf(language);
  return {
    to,
    language,
    subject: texts.t('mail.following.subject', { game: plainName(game.name) }),
    text: [
      `${texts.t('mail.following', { game: quote(plainName(game.name), language) })}\n${links.page}`,
      `${texts.t('mail.unsubscribe', { link: links.end })}\n`,
    ].join('\n\n'),
  };
}

type Part = {
  readonly title: string;
  /** The platforms that have it; null for all. */
  readonly platforms: readonly { readonly os: string; readonly arch: string }[] | null;
};

export type Announcement = {
  readonly version: string;
  readonly titles: readonly Part[];
  readonly changes: readonly Part[];
};

type Links = {
  readonly page: string;
  /** The page that asks before it unsubscribes. */
  readonly endPage: string;
  /** Unsubscribes when it gets a POST (RFC 8058). */
  readonly end: string;
};

/** `id` is the id of the email, so that a repeated email is shown once. */
export function releaseEmail(
  to: string,
  language: Language,
  game: Named,
  { version, titles, changes, id }: Announcement & { id: string },
  { page, endPage, end }: Links,
): Email {
  const texts = textsOf(language);
  const name = quote(game.name, language);
  const [title] = titles.length === 1 ? titles : [];
  const formatPart = (part: Part) => oneLine(formatReleasePart(texts, part));
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
      texts.t(title === undefined ? 'mail.release' : 'mail.release.titled', {
        game: name,
        version: oneLine(version),
        title: oneLine(title?.title ?? ''),
      }),
      ...(titles.length > 1 ? [titles.map(formatPart).join('\n')] : []),
      ...(changes.length > 0 ? [changes.map((change) => `- ${formatPart(change)}`).join('\n')] : []),
      page,
      `-- \n${texts.t('mail.release.why', { game: name })}\n${texts.t('mail.unsubscribe', { link: endPage })}\n`,
    ].join('\n\n'),
  };
}
