// Makes a game's vanity name out of its name: the server when the game is created, and the page that shows it before.

const LONGEST = 56;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Lowercase letters, digits and `-`, 3 to 64 of them; from the second `attempt` on with a number, for names that are taken. */
export function slugOf(name: string, attempt = 0): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  const base = plain.length >= 3 && !UUID.test(plain) ? plain : `game${plain === '' ? '' : `-${plain}`}`;
  return attempt === 0 ? base : `${base}-${attempt + 1}`;
}
