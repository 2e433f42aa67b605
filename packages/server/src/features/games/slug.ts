// Makes a game's vanity name out of its name.
import { isUuid } from '../../kernel/ids.ts';

const LONGEST = 56;

/** Lowercase letters, digits and `-`, 3 to 64 of them; from the second `attempt` on with a number, for names that are taken. */
export function slugOf(name: string, attempt: number): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  const base = plain.length >= 3 && !isUuid(plain) ? plain : `game${plain === '' ? '' : `-${plain}`}`;
  return attempt === 0 ? base : `${base}-${attempt + 1}`;
}
