// Puts names chosen by people into the text of a mail.

import type { Language } from '@chauffeur/contract/texts/messages';

const MAX_LENGTH = 200;

/** Puts a name on one line, so that it cannot pose as another line of the email or as a header. */
export function oneLine(name: string): string {
  const [...characters] = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : characters.join('');
}

/** What email programs take for the end of a scheme, as in `https:`, or for a dot in a domain. */
const LINK_PARTS = /(?<=\p{L}):(?=\S)|(?<=\S)[.\u3002\uFF0E\uFF61](?=[\p{L}\p{N}])|@(?=\S)/gu;

/**
 * Puts a name on one line on which email programs find no address to make a link of: `evil.example` becomes
 * `evil. example`. For emails to people who may not know whose name it is.
 */
export function plainName(name: string): string {
  return oneLine(name).replace(LINK_PARTS, '$& ');
}

const MARKS: Readonly<Record<Language, readonly [string, string]>> = { en: ['“', '”'], de: ['„', '“'] };

/** Puts a name in quotation marks, which it cannot close. */
export function quote(name: string, language: Language = 'en'): string {
  const [start, end] = MARKS[language];
  return `${start}${oneLine(name.replace(/[„“”]+/g, ' '))}${end}`;
}
