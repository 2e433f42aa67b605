// Keeps the text of many records in little memory: in a few buffers, and in a temporary file when they become too many.
import { PagedSource } from '../paged-source.ts';
import { Scratch, type TemporaryFile } from '../temporary-file.ts';

const CHUNK_SIZE = 1024 * 1024;
/** Chunks in memory. The rest is in the file. */
const MAX_CHUNKS = 4;
/** Bytes of the file that are kept when texts are read, mostly in the order in which they were written. */
const KEPT_BYTES = 4 * 1024 * 1024;

export class TextStore {
  readonly #maximum: number;
  readonly #scratch: Scratch;
  /** Buffers by the number of their chunk; undefined for chunks in the file. */
  readonly #chunks: (Buffer | undefined)[] = [];
  /** The positions in the file of the chunks that are not in memory. */
  readonly #positions: number[] = [];
  #used = 0;
  #nextSpilled = 0;
  #file: TemporaryFile | undefined;
  #pages: PagedSource | undefined;

  constructor(scratch = new Scratch(), maximum = MAX_CHUNKS) {
    this.#scratch = scratch;
    this.#maximum = maximum;
  }

  /** The length of the text that was appended last, in bytes. */
  length = 0;

  /** Returns the place of the text, which `read` takes. */
  append(text: string): number {
    // A character of UTF-16 has at most three bytes in UTF-8.
    const chunk = this.#chunkFor(text.length * 3);
    return this.#keep(this.#chunks[chunk]!.write(text, this.#used));
  }

  /** Appends the first bytes of a text. */
  appendBytes(bytes: Buffer, length: number): number {
    const chunk = this.#chunkFor(length);
    bytes.copy(this.#chunks[chunk]!, this.#used, 0, length);
    return this.#keep(length);
  }

  /** Appends what `write` puts into a buffer from a position on: up to `most` bytes. It returns where they end. */
  appendWith(most: number, write: (buffer: Buffer, at: number) => number): number {
    const chunk = this.#chunkFor(most);
    return this.#keep(write(this.#chunks[chunk]!, this.#used) - this.#used);
  }

  #chunkFor(needed: number): number {
    const last = this.#chunks.length - 1;
    if (last >= 0 && this.#used + needed <= CHUNK_SIZE) return last;
    this.#spill();
    this.#used = 0;
    return this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK_SIZE, needed))) - 1;
  }

  #keep(length: number): number {
    const place = (this.#chunks.length - 1) * CHUNK_SIZE + this.#used;
    this.length = length;
    this.#used += length;
    return place;
  }

  /** Bytes of all texts. */
  get size(): number {
    return Math.max(0, this.#chunks.length - 1) * CHUNK_SIZE + this.#used;
  }

  /** The text, as bytes that share the memory of others. */
  read(place: number, length: number): Uint8Array {
    // A text that is larger than a chunk has one of its own, at whose start it is.
    const chunk = Math.floor(place / CHUNK_SIZE);
    const start = place - chunk * CHUNK_SIZE;
    const inMemory = this.#chunks[chunk];
    if (inMemory !== undefined) return inMemory.subarray(start, start + length);
    this.#pages ??= new PagedSource(this.#file!, KEPT_BYTES);
    return this.#pages.read(this.#positions[chunk]! + start, length);
  }

  /** Moves the oldest chunk to the file if there are too many. The newest one is full. */
  #spill(): void {
    if (this.#chunks.length - this.#nextSpilled < this.#maximum) return;
    this.#file ??= this.#scratch.create();
    this.#positions[this.#nextSpilled] = this.#file.append(this.#chunks[this.#nextSpilled]!);
    this.#chunks[this.#nextSpilled] = undefined;
    this.#nextSpilled += 1;
  }

  /** Removes the file. Nothing can be read afterwards. */
  close(): void {
    if (this.#file !== undefined) this.#scratch.close(this.#file);
    this.#file = undefined;
  }
}
