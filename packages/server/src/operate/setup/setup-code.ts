// The set-up code: what it looks like, and whether the server issued a code.
import { randomInt, timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../../kernel/secrets/ids.ts';

/** The lowercase letters and digits that are hard to confuse. */
const CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** Returns a random code such as `k3v9x-tw2hd-8m4pc-zq6fj`, with 99 bits. */
export function newSetupCode(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** Hashes a code, ignoring letter case, spaces and hyphens, and the link before the code that the server prints. */
export function hashSetupCode(entered: string): Buffer {
  return hashSecret((entered.split('=').at(-1) ?? '').toLowerCase().replace(/[\s-]/g, ''));
}

/** Compares with every hash, each in constant time. */
export function isIssued(entered: string, hashes: readonly Buffer[]): boolean {
  const own = hashSetupCode(entered);
  return hashes.filter((hash) => timingSafeEqual(hash, own)).length > 0;
}
