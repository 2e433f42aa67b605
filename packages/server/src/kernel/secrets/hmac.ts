// A fast HMAC, for tokens that are computed for every request of a flood.
import { hash } from 'node:crypto';

const HASH = 'sha512';
/** The block size of SHA-512 (FIPS 180-4); a shorter key is padded with zeros. */
const BLOCK_BYTES = 128;
const DIGEST_BYTES = 64;

/**
 * Returns a function that computes HMAC-SHA-512 (RFC 2104) under `key`, which is at most one block, for messages of
 * exactly this length. Messages are strings with one character (latin1) per byte. It combines the two hashes itself, as
 * strings: `createHmac` creates an object per call, and a Buffer costs as much as a hash.
 */
export function hmacUnder(key: Uint8Array, messageBytes: number): (message: Uint8Array) => string {
  if (key.length > BLOCK_BYTES) throw new RangeError(`a key of ${key.length} bytes is longer than a block`);
  const inner = Buffer.alloc(BLOCK_BYTES + messageBytes, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at]! ^= byte;
    outer[at]! ^= byte;
  }
  return (message) => {
    if (message.length !== messageBytes)
      throw new RangeError(`a message of ${message.length} bytes, not ${messageBytes}`);
    inner.set(message, BLOCK_BYTES);
    outer.write(hash(HASH, inner, 'latin1'), BLOCK_BYTES, 'latin1');
    return hash(HASH, outer, 'latin1');
  };
}
