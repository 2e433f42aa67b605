// A file, or a part of one, that is read piece by piece, so that its size needs no memory.
import { readSync } from 'node:fs';
import { DebugSymbolsError } from './error.ts';

/** Bytes that can be read at any position. Positions count from 0. */
export interface ByteSource {
  readonly size: number;
  /**
   * Returns `length` bytes at `position`. The array must not be changed: it can share memory with others. Throws a
   * DebugSymbolsError `truncated` if they are not all there.
   */
  read(position: number, length: number): Uint8Array;
}

/** The bytes of an array. */
export class MemorySource implements ByteSource {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  read(position: number, length: number): Uint8Array {
    checkRange(position, length, this.#bytes.length);
    return this.#bytes.subarray(position, position + length);
  }
}

/** An open file. The caller closes it. */
export class FileSource implements ByteSource {
  readonly size: number;
  readonly #descriptor: number;

  constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.size = size;
  }

  read(position: number, length: number): Uint8Array {
    checkRange(position, length, this.size);
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#descriptor, bytes, done, length - done, position + done);
      if (read === 0) throw new DebugSymbolsError('truncated', 'the file became shorter while it was read');
      done += read;
    }
    return bytes;
  }
}

/** A part of another source. */
export class PartSource implements ByteSource {
  readonly size: number;
  readonly #whole: ByteSource;
  readonly #start: number;

  constructor(whole: ByteSource, start: number, size: number) {
    checkRange(start, size, whole.size);
    this.#whole = whole;
    this.#start = start;
    this.size = size;
  }

  read(position: number, length: number): Uint8Array {
    checkRange(position, length, this.size);
    return this.#whole.read(this.#start + position, length);
  }
}

function checkRange(position: number, length: number, size: number): void {
  if (position >= 0 && length >= 0 && position + length <= size) return;
  throw new DebugSymbolsError('truncated', `${length} bytes at ${position} are outside the available ${size} bytes`);
}
