// The token in the link to an invitation. Only its hash is stored.
import { createHash } from 'node:crypto';
import { newSecret } from '../../kernel/secrets/ids.ts';

/** About 232 bits, so a plain SHA-256 is enough to protect it. */
const LENGTH = 40;

export function newToken(): string {
  return newSecret(LENGTH);
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
