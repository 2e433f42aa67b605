// Names in URLs: makes the slug of a game from its name, and says what is wrong with a typed slug, or with the handle of a
// developer.
import { LIMITS } from './limits.ts';

const MIN_LENGTH = 3;
const MAX_LENGTH = 64;
/** The limit of a name, so that there is room for a number. */
const MAX_NAME_LENGTH = 56;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * 3 to 64 lowercase letters, digits and `-`. From the second `attempt` on it ends in a number, in case the slug is
 * taken.
 */
export function slugOf(name: string, attempt = 0): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/^-+|-+$/g, '');
  const base = plain.length >= MIN_LENGTH && !UUID.test(plain) ? plain : `game${plain === '' ? '' : `-${plain}`}`;
  return attempt === 0 ? base : `${base}-${attempt + 1}`;
}

/** What is wrong with the form of a slug, and what to do; null if it is valid. */
export function findSlugProblem(slug: string): string | null {
  if (/[^a-z0-9-]/.test(slug)) return 'Use only lowercase letters from a to z, digits and hyphens.';
  if (slug.startsWith('-') || slug.endsWith('-')) return 'Begin and end with a letter or a digit.';
  if (slug.length < MIN_LENGTH) return `Use at least ${MIN_LENGTH} characters.`;
  if (slug.length > MAX_LENGTH) return `Use at most ${MAX_LENGTH} characters.`;
  return UUID.test(slug) ? 'This has the form of an ID. Choose another address.' : null;
}

// cspell:ignore nobody
/** Names that could be mistaken for the service itself, or for no person at all. */
const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator anonymous api billing blog chauffeur contact contact-us dev developer developers
  docs everyone god help helpdesk home info info-desk legal mail me mod moderator moderators news nobody none noreply no-reply null
  official operator operators owner postmaster press privacy root safety security service settings shop sign-in sign-up site staff
  status store support sys sysadmin system team terms test trust undefined unknown user users verified web webmaster website www you`.split(
    /\s+/,
  ),
);

type Rule = { readonly name: string; readonly isBroken: (handle: string) => boolean; readonly advice: string };

const RULES: readonly Rule[] = [
  {
    name: 'length',
    isBroken: ({ length }) => length < LIMITS.handleLength.min || length > LIMITS.handleLength.max,
    advice: `use ${LIMITS.handleLength.min} to ${LIMITS.handleLength.max} characters`,
  },
  {
    name: 'characters',
    isBroken: (handle) => !/^[a-z0-9-]*$/.test(handle),
    advice: 'use only lowercase letters a to z, digits and -',
  },
  {
    name: 'hyphens',
    isBroken: (handle) => /^-|--|-$/.test(handle),
    advice: 'use single hyphens, only between letters or digits',
  },
  {
    name: 'reserved',
    isBroken: (handle) => RESERVED.has(handle),
    advice: 'choose another handle; this one is reserved',
  },
];

/** What to change, as the end of a sentence; null if the handle is valid, whether or not it is taken. */
export function findHandleProblem(handle: string): string | null {
  return RULES.find(({ isBroken }) => isBroken(handle))?.advice ?? null;
}
