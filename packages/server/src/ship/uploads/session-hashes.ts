// Keeps the running SHA-256 of each upload session in memory, so that the finished upload need not be read again.
// A process that takes over a session has no hash and reads the stored bytes once (docs/adr/0002).
import { createHash, type Hash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { perContext } from '../../request/per-context.ts';

/** A few hundred bytes each; the oldest is dropped first. */
const MAX_HASHES = 1000;

/** Keys are the ids of sessions; `size` is the number of bytes hashed so far. */
const hashesOf = perContext(() => new Map<string, { size: number; hash: Hash }>());

/**
 * Returns a copy of the hash of the session's first `size` bytes, ready to be updated; null if this process has none.
 */
export function hashAt(ctx: Context, sessionId: string, size: number): Hash | null {
  if (size === 0) return createHash('sha256');
  const entry = hashesOf(ctx).get(sessionId);
  return entry?.size === size ? entry.hash.copy() : null;
}

/** Keeps the hash of the session's first `size` bytes. The caller must not update or digest it afterwards. */
export function rememberHash(ctx: Context, sessionId: string, size: number, hash: Hash): void {
  const hashes = hashesOf(ctx);
  hashes.delete(sessionId);
  hashes.set(sessionId, { size, hash });
  const [oldest] = hashes.keys();
  if (hashes.size > MAX_HASHES && oldest !== undefined) hashes.delete(oldest);
}

export function forgetHash(ctx: Context, sessionId: string): void {
  hashesOf(ctx).delete(sessionId);
}
