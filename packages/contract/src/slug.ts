// Creates a game's slug from its name. The server uses it for new games, and the website to preview the slug.

const MAX_LENGTH = 56;
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
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
  const base = plain.length >= 3 && !UUID.test(plain) ? plain : `game${plain === '' ? '' : `-${plain}`}`;
  return attempt === 0 ? base : `${base}-${attempt + 1}`;
}
