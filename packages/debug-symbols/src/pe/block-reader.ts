// Reads numbers at any position of a source, with few reads of the file: tables of unwind information are followed from
// place to place, and a program has up to a million of them.
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';

const BLOCK_BITS = 16;
const BLOCK_SIZE = 1 << BLOCK_BITS;
/** How many blocks are kept: 4 MB. A block replaces another one whose number is equal modulo this. */
const BLOCKS = 64;

const EMPTY = new Uint8Array(0);

/** Numbers are little-endian. Reading outside the source throws a DebugSymbolsError `truncated`. */
export class BlockReader {
  readonly #source: ByteSource;
  readonly #numbers = new Int32Array(BLOCKS).fill(-1);
  readonly #blocks: Uint8Array[] = new Array<Uint8Array>(BLOCKS).fill(EMPTY);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#source.size;
  }

  u8(position: number): number {
    const value = this.#block(position)[position % BLOCK_SIZE];
    if (value === undefined) throw outside(position, this.size);
    return value;
  }

  u16(position: number): number {
    return this.u8(position) | (this.u8(position + 1) << 8);
  }

  u32(position: number): number {
    const block = this.#block(position);
    const at = position % BLOCK_SIZE;
    if (at + 4 > block.length) return this.u16(position) + this.u16(position + 2) * 0x10000;
    return (block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24)) >>> 0;
  }

  /** Returns the bytes up to a zero byte, the end of the source, or the limit. */
  string(position: number, limit: number): Uint8Array {
    const start = this.#block(position).subarray(position % BLOCK_SIZE);
    const end = start.indexOf(0);
    if (end >= 0) return start.subarray(0, Math.min(end, limit));
    // The string goes on in the next block, which can replace this one.
    const bytes: number[] = [];
    for (let at = position; bytes.length < limit && at < this.size; at++) {
      const byte = this.u8(at);
      if (byte === 0) break;
      bytes.push(byte);
    }
    return Uint8Array.from(bytes);
  }

  #block(position: number): Uint8Array {
    if (!(position >= 0 && position < this.size)) throw outside(position, this.size);
    const number = Math.floor(position / BLOCK_SIZE);
    const slot = number % BLOCKS;
    if (this.#numbers[slot] !== number) {
      const start = number * BLOCK_SIZE;
      this.#blocks[slot] = this.#source.read(start, Math.min(BLOCK_SIZE, this.size - start));
      this.#numbers[slot] = number;
    }
    return this.#blocks[slot]!;
  }
}

function outside(position: number, size: number): DebugSymbolsError {
  return new DebugSymbolsError('truncated', `position ${position} is outside the available ${size} bytes`);
}
