// The code that a person compares with the one in their terminal: eight letters, typed by hand if need be.
// cspell:ignore BCDF GHJK BCDFGHJKLMNPQRSTVWXZ
import { randomInt } from 'node:crypto';

/** Letters without vowels, which form no words and are hard to confuse (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** Returns a random code such as `BCDF-GHJK`, with 34 bits. */
export function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return canonicalUserCode(letters);
}

/** The form in which codes are shown and hashed, for a code in any letter case, with or without the hyphen. */
export function canonicalUserCode(code: string): string {
  const letters = code.replace('-', '').toUpperCase();
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
