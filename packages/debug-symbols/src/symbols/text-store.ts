// Keeps the text of many records in little memory: in large buffers, and in a temporary file when they become too many.
import { TemporaryFile } from '../temporary-file.ts';

/** Where a text is kept. */
export type TextPlace = { readonly chunk: number; readonly start: number; readonly length: number };

const CHUNK_SIZE = 1024 * 1024;
/** Chunks in memory. The rest is in the file. */
const MAX_CHUNKS = 192;
/** Texts are mostly read in the order in which they were written, so few chunks of the file are needed at a time. */
const MAX_READ_CHUNKS = 16;

export class TextStore {
  readonly #maximum: number;
  /** Buffers by the number of their chunk; undefined for chunks in the file. */
  readonly #chunks: (Buffer | undefined)[] = [];
  /** The positions in the file of the chunks that are not in memory. */
  readonly #positions: number[] = [];
  readonly #read = new Map<number, Buffer>();
  #used = 0;
  #nextSpilled = 0;
  #file: TemporaryFile | undefined;

  constructor(maximum = MAX_CHUNKS) {
    this.#maximum = maximum;
  }

  append(text: string): TextPlace {
    // A character of UTF-16 has at most three bytes in UTF-8.
    const needed = text.length * 3;
    let chunk = this.#chunks.length - 1;
    if (chunk < 0 || this.#used + needed > this.#chunks[chunk]!.length) {
      this.#spill();
      chunk = this.#chunks.push(Buffer.allocUnsafe(Math.max(CHUNK_SIZE, needed))) - 1;
      this.#used = 0;
    }
    const start = this.#used;
    const length = this.#chunks[chunk]!.write(text, start);
    this.#used += length;
    return { chunk, start, length };
  }

  /** The text, as bytes that share the memory of others. */
  read({ chunk, start, length }: TextPlace): Buffer {
    return (this.#chunks[chunk] ?? this.#readChunk(chunk)).subarray(start, start + length);
  }

  /** Moves the oldest chunk to the file if there are too many. The newest one is still written. */
  #spill(): void {
    if (this.#chunks.length - this.#nextSpilled < this.#maximum) return;
    this.#file ??= new TemporaryFile();
    this.#positions[this.#nextSpilled] = this.#file.append(this.#chunks[this.#nextSpilled]!);
    this.#chunks[this.#nextSpilled] = undefined;
    this.#nextSpilled += 1;
  }

  #readChunk(chunk: number): Buffer {
    let buffer = this.#read.get(chunk);
    if (buffer === undefined) {
      const [oldest] = this.#read.keys();
      if (this.#read.size >= MAX_READ_CHUNKS && oldest !== undefined) this.#read.delete(oldest);
      const position = this.#positions[chunk]!;
      const end = chunk + 1 < this.#nextSpilled ? this.#positions[chunk + 1]! : this.#file!.size;
      buffer = this.#file!.read(position, end - position);
      this.#read.set(chunk, buffer);
    }
    return buffer;
  }

  /** Removes the file. Nothing can be read afterwards. */
  close(): void {
    this.#file?.close();
  }
}
