// Remembers, in this process, the SHA-256 of what an upload session has received, so that its end need not read it again.
// A process that takes a session over does not have it, and reads the stored bytes once (docs/adr/0002).
import { createHash, type Hash } from 'node:crypto';

/** A few hundred bytes each; the oldest go first. */
const MOST = 1000;

const hashes = new Map<string, { size: number; hash: Hash }>();

/** A copy of the hash over the session's first `size` bytes, to be fed further; null when this process does not have it. */
export function hashAt(sessionId: string, size: number): Hash | null {
  if (size === 0) return createHash('sha256');
  const found = hashes.get(sessionId);
  return found?.size === size ? found.hash.copy() : null;
}

/** Remembers the hash over the session's first `size` bytes. It must not be fed or digested afterwards. */
export function rememberHash(sessionId: string, size: number, hash: Hash): void {
  hashes.delete(sessionId);
  hashes.set(sessionId, { size, hash });
  const [oldest] = hashes.keys();
  if (hashes.size > MOST && oldest !== undefined) hashes.delete(oldest);
}

export function forgetHash(sessionId: string): void {
  hashes.delete(sessionId);
}
