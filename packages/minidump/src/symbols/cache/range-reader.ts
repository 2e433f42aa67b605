// Reads pieces of a symbol cache, wherever it lies: in a file or in memory.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MinidumpError } from '../../error.ts';

/** Bytes that can be read by ranges. Positions and sizes are bytes from the start. */
export type RangeReader = {
  readonly size: number;
  /**
   * Exactly `length` bytes at `position`: in `into`, which has that length, when it is given and they have to be put
   * somewhere. Throws a MinidumpError `bad-cache` when they are not all there. The caller must not change them.
   */
  read(position: number, length: number, into?: Uint8Array): Uint8Array;
  /** Gives back what it holds open; a second call does nothing. */
  close(): void;
};

/** Reads from bytes in memory, without copying them. */
export class MemoryReader implements RangeReader {
  readonly size: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.byteLength;
  }

  read(position: number, length: number): Uint8Array {
    if (position + length > this.size) throw cutOff(position, length, this.size);
    return this.#bytes.subarray(position, position + length);
  }

  close(): void {
    // Nothing is open.
  }
}

/** Reads from a file, which stays open until `close`. Its constructor throws what the file system says when it cannot be opened. */
export class FileReader implements RangeReader {
  readonly size: number;
  readonly #descriptor: number;
  #open = true;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  read(position: number, length: number, into?: Uint8Array): Uint8Array {
    const bytes = into ?? new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = this.#readSome(bytes, filled, position + filled);
      if (count === 0) throw cutOff(position, length, position + filled);
      filled += count;
    }
    return bytes;
  }

  /** What the file system cannot read is as good as damaged. */
  #readSome(bytes: Uint8Array, filled: number, position: number): number {
    try {
      return readSync(this.#descriptor, bytes, filled, bytes.length - filled, position);
    } catch (error) {
      throw new MinidumpError('bad-cache', `The symbol cache cannot be read at ${position}.`, { cause: error });
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#descriptor);
  }
}

function cutOff(position: number, length: number, size: number): MinidumpError {
  return new MinidumpError(
    'bad-cache',
    `The symbol cache ends at ${size}; ${length} bytes at ${position} are missing.`,
  );
}
