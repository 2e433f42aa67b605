// Finds types by name, with the hash that the linker stored for each record.
// The layout is described in LLVM's documentation, "The PDB TPI and IPI Streams", section "The TPI Hash Stream".
import type { ByteSource } from '../byte-source.ts';
import { u16, u32 } from './bytes.ts';

const MAX_BUCKETS = 0x40000;

/** The numbers of the records of a type stream by the hash of their names. */
export class TypeHashes {
  readonly #first: number;
  readonly #bucketCount: number;
  /** Where each bucket begins in `records`; it ends where the next one begins. */
  readonly #starts: Uint32Array;
  readonly #records: Uint32Array;

  /** Takes the header of the type stream, and the stream that it names. */
  constructor(header: Uint8Array, stream: ByteSource) {
    this.#first = u32(header, 8);
    this.#bucketCount = Math.min(u32(header, 28), MAX_BUCKETS);
    const start = u32(header, 32);
    const size = Math.min(u32(header, 36), Math.max(stream.size - start, 0));
    const bytes = size > 0 ? stream.read(start, size) : new Uint8Array();
    const count = this.#bucketCount === 0 ? 0 : Math.floor(bytes.length / 4);
    this.#starts = new Uint32Array(this.#bucketCount + 1);
    for (let index = 0; index < count; index++) this.#starts[this.#bucket(u32(bytes, index * 4)) + 1]!++;
    for (let bucket = 0; bucket < this.#bucketCount; bucket++) this.#starts[bucket + 1]! += this.#starts[bucket]!;
    const next = this.#starts.slice();
    this.#records = new Uint32Array(count);
    for (let index = 0; index < count; index++) {
      this.#records[next[this.#bucket(u32(bytes, index * 4))]!++] = this.#first + index;
    }
  }

  /** Returns the records that could have a name: all with that name, and others whose hash is the same. */
  candidates(name: Uint8Array): Uint32Array {
    if (this.#bucketCount === 0) return new Uint32Array();
    const bucket = this.#bucket(hashName(name));
    return this.#records.subarray(this.#starts[bucket], this.#starts[bucket + 1]);
  }

  #bucket(hash: number): number {
    return hash % this.#bucketCount;
  }
}

/** The first of the hash functions of PDBs: the exclusive or of the name's words, without differences in case. */
function hashName(name: Uint8Array): number {
  let hash = 0;
  let at = 0;
  for (; at + 4 <= name.length; at += 4) hash ^= u32(name, at);
  if (at + 2 <= name.length) {
    hash ^= u16(name, at);
    at += 2;
  }
  if (at < name.length) hash ^= name[at]!;
  hash |= 0x20202020;
  hash ^= hash >>> 11;
  return (hash ^ (hash >>> 16)) >>> 0;
}
