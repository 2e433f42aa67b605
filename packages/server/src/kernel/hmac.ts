// HMAC for where it is made for every request of a flood.
import { hash } from 'node:crypto';

const HASH = 'sha512';
/** Of SHA-512 (FIPS 180-4): a shorter key is filled up with zeros. */
const BLOCK_BYTES = 128;
const DIGEST_BYTES = 64;

/**
 * HMAC-SHA-512 (RFC 2104) under `key`, at most a block long, of messages that all have this length. It is made of its two hashes:
 * `createHmac` makes an object each time, and so takes half as long again and leaves more behind.
 */
export function hmacUnder(key: Uint8Array, messageBytes: number): (message: Uint8Array) => Buffer {
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
    outer.set(hash(HASH, inner, 'buffer'), BLOCK_BYTES);
    return hash(HASH, outer, 'buffer');
  };
}
