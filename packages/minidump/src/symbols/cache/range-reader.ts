// Reads ranges of a symbol cache from a file or from memory.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MinidumpError } from '../../error.ts';

/** A source of bytes that can be read in ranges. Positions and sizes are in bytes. */
export type RangeReader = {
  readonly size: number;
  /**
   * Returns exactly `length` bytes at `position`. A reader that needs memory for them can use `into`, which must have
   * that length. Throws a MinidumpError `bad-cache` if bytes are missing. The caller must not change the bytes.
   */
  read(position: number, length: number, into?: Uint8Array): Uint8Array;
  /** Releases all resources. Further calls have no effect. */
  close(): void;
};

/** Reads from memory, without copying. */
export class MemoryRangeReader implements RangeReader {
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

/** Reads from a file, which stays open until `close`. The constructor throws a system error if it cannot be opened. */
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

  /** Treats a read error of the file system as damage. */
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
    `The symbol cache ends at ${size}, but ${length} bytes at ${position} are needed.`,
  );
}
