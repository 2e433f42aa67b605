// Slugs of games: makes one from a name, and says what is wrong with a typed one.

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
