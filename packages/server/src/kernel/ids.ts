// Makes identifiers and secrets.
import { randomFillSync, randomInt } from 'node:crypto';

const ALPHABET = 'abcdefghijkmnopqrstuvwxyz23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A lowercase UUIDv7 (RFC 9562, section 5.7): milliseconds in front, so that new rows lie together in an index. */
export function newId(now = Date.now()): string {
  const bytes = takeRandom(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The lowest id that `newId` can make at a time in milliseconds. */
export function firstIdAt(now: number): string {
  const hex = now.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The time in milliseconds that an id of `newId` begins with. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const pool = Buffer.alloc(4096);
let taken = pool.length;

/** Random bytes that nobody was given before, to be used up at once: asking the system for each id costs more than all else in it. */
function takeRandom(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return pool.subarray(taken - count, taken);
}

/** A random word of letters and digits that are not mistaken for each other; 5.8 bits a character. */
export function newSecret(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether PostgreSQL would take `text` as a uuid in the usual form. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
