// Chooses the language of pages and mails.
import { isLanguage, LANGUAGES, type Language } from '@chauffeur/contract/texts/messages';
import Negotiator from 'negotiator';

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

/** The language of a request that has no page, such as one whose result is a mail. */
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
  const [wanted] = new Negotiator({ headers: { 'accept-language': accepted } }).languages([...LANGUAGES]);
  return isLanguage(wanted) ? wanted : LANGUAGES[0];
}

/** The `Set-Cookie` header that keeps a choice. */
export function keepLanguage(language: Language): string {
  return `${COOKIE}=${language}; Path=/; Max-Age=${COOKIE_DAYS * 86_400}; SameSite=Lax; HttpOnly`;
}
