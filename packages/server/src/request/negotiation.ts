// Chooses the form of a response that the client accepts: its compression, its type, and the language of pages and
// emails.

import type { IncomingHttpHeaders } from 'node:http';
import { isLanguage, type Language, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import Negotiator from 'negotiator';

/** RFC 9110, section 12.5.3: the name of a coding takes precedence over `*`, and a weight of 0 excludes a coding. */
export function acceptsCoding(header: string | string[] | undefined, coding: 'br' | 'gzip'): boolean {
  const codings = new Map<string, boolean>();
  for (const item of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    codings.set(name === 'x-gzip' ? 'gzip' : name, !isRefused);
  }
  return codings.get(coding) ?? codings.get('*') ?? false;
}

export function acceptsGzip(header: string | string[] | undefined): boolean {
  return acceptsCoding(header, 'gzip');
}

/** The cookie that keeps what a visitor chose in the footer. It says nothing else about them. */
const COOKIE = 'chauffeur.language';
const COOKIE_DAYS = 365;

type Wishes = {
  /** The parameter `lang` of the address. */
  readonly lang: string | undefined;
  /** The `Cookie` header. */
  readonly cookie: string | undefined;
  /** The `Accept-Language` header. */
  readonly accepted: string | undefined;
};

/** The language of a request that has no page, such as one whose result is an email. */
export function languageOf(headers: {
  readonly cookie?: string | undefined;
  readonly 'accept-language'?: string | undefined;
}): Language {
  return chooseLanguage({ lang: undefined, cookie: headers.cookie, accepted: headers['accept-language'] });
}

export function chooseLanguage({ lang, cookie = '', accepted = '' }: Wishes): Language {
  const chosen = new RegExp(`(?:^|;\\s*)${RegExp.escape(COOKIE)}=(\\w+)`).exec(cookie)?.[1];
  const known = [lang, chosen].find(isLanguage);
  if (known !== undefined) return known;
  const [wanted] = new Negotiator({ headers: { 'accept-language': accepted } }).languages([...PAGE_LANGUAGES]);
  return isLanguage(wanted) ? wanted : PAGE_LANGUAGES[0];
}

/** The `Set-Cookie` header that keeps a choice. */
export function keepLanguage(language: Language): string {
  return `${COOKIE}=${language}; Path=/; Max-Age=${COOKIE_DAYS * 86_400}; SameSite=Lax; HttpOnly`;
}

/** Most clients that aren't browsers accept any type, and get a page as browsers do. */
export function prefersJson(headers: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers }).mediaType(['text/html', 'application/json']) === 'application/json';
}
