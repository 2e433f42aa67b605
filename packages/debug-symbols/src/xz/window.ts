// The last bytes that a decoder has written, from which it copies.
import { damaged } from './damaged.ts';

const FIRST_BYTES = 64 * 1024;

export class Window {
  /** How far back copies may reach. */
  readonly #size: number;
  #bytes = new Uint8Array(FIRST_BYTES);
  #at = 0;
  /** The number of bytes since the last reset. */
  total = 0;

  constructor(size: number) {
    this.#size = size;
  }

  reset(): void {
    this.total = 0;
  }

  /** Makes room for bytes. Memory grows with what is written, up to about twice the size of the window. */
  reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const kept = Math.min(this.#at, this.#size, this.total);
    const start = this.#at - kept;
    if (2 * (kept + length) <= this.#bytes.length) this.#bytes.copyWithin(0, start, this.#at);
    else {
      const bytes = new Uint8Array(2 * (kept + length));
      bytes.set(this.#bytes.subarray(start, this.#at));
      this.#bytes = bytes;
    }
    this.#at = kept;
  }

  put(byte: number): void {
    this.#bytes[this.#at++] = byte;
    this.total += 1;
  }

  append(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    this.total += bytes.length;
  }

  byteBefore(distance: number): number {
    if (distance > this.total || distance > this.#size) throw damaged();
    return this.#bytes[this.#at - distance]!;
  }

  /** Repeats what was written before; the copy may overlap what it is made of. */
  copy(distance: number, length: number): void {
    if (distance > this.total || distance > this.#size) throw damaged();
    const bytes = this.#bytes;
    let at = this.#at;
    for (const end = at + length; at < end; at += 1) bytes[at] = bytes[at - distance]!;
    this.#at = at;
    this.total += length;
  }

  /** A copy of the last bytes. */
  last(length: number): Uint8Array {
    return this.#bytes.slice(this.#at - length, this.#at);
  }
}
