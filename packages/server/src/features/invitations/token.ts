// The token of an invitation's link: only its hash is stored.
import { createHash } from 'node:crypto';
import { newSecret } from '../../kernel/ids.ts';

/** 232 bits, so that a plain SHA-256 of it cannot be guessed. */
const LENGTH = 40;

export function newToken(): string {
  return newSecret(LENGTH);
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
