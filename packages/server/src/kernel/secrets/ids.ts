// Creates identifiers and secrets, and hashes secrets.
import { hash, randomFillSync, randomInt } from 'node:crypto';

const ALPHABET = 'abcdefghijkmnopqrstuvwxyz23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/**
 * Returns a lowercase UUIDv7 (RFC 9562, section 5.7). It begins with the time in milliseconds, so that new rows are
 * adjacent in an index.
 */
export function newId(now = Date.now()): string {
  const bytes = takeRandom(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns the lowest id that `newId` can create at a time in milliseconds. */
export function firstIdAt(now: number): string {
  const hex = now.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns the time, in milliseconds, at the start of an id from `newId`. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const pool = Buffer.alloc(4096);
let taken = pool.length;

/**
 * Returns random bytes that were never used before. They are a part of the pool, so use them before the next call.
 * Requesting bytes from the system for each id would cost more than the rest of `newId`.
 */
function takeRandom(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return pool.subarray(taken - count, taken);
}

/** Returns a random word of letters and digits that are hard to confuse, with 5.8 bits per character. */
export function newSecret(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** What is stored of a secret. A plain SHA-256 is enough, because a random secret is too long to guess. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether PostgreSQL accepts `text` as a uuid in the usual form. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
