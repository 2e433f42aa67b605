// A file, or a part of one, that is read piece by piece, so that its size needs no memory.
import { readSync } from 'node:fs';
import { DebugSymbolsError } from './error.ts';

/** What may be read into memory at once: more than any unit of debug information has. */
export const MAX_READ = 512 * 1024 * 1024;

/** Bytes that can be read at any position. Positions count from 0. */
export interface ByteSource {
  readonly size: number;
  /**
   * Returns `length` bytes at `position`. The array must not be changed: it can share memory with others. Throws a
   * DebugSymbolsError `truncated` if they are not all there, and `too-large` if they are too many.
   */
  read(position: number, length: number): Uint8Array;
  /** The source in a form for other threads of the process; undefined, or missing, if it has none. */
  share?(): SharedSource | undefined;
}

/** A source that another thread opens with `openShared`. The descriptor stays open as long as it is used there. */
export type SharedSource =
  | { readonly descriptor: number; readonly start: number; readonly size: number }
  | { readonly bytes: Uint8Array };

export function openShared(shared: SharedSource): ByteSource {
  if ('bytes' in shared) return new MemorySource(shared.bytes);
  const { descriptor, start, size } = shared;
  return new PartSource(new FileSource(descriptor, start + size), start, size);
}

/** Larger arrays are not shared: for a moment, they are in memory twice. */
const MAX_SHARED = 128 * 1024 * 1024;

/** The bytes of an array. */
export class MemorySource implements ByteSource {
  #bytes: Uint8Array;

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

  share(): SharedSource | undefined {
    if (this.#bytes.length > MAX_SHARED) return undefined;
    if (!(this.#bytes.buffer instanceof SharedArrayBuffer)) {
      const shared = new Uint8Array(new SharedArrayBuffer(this.#bytes.length));
      shared.set(this.#bytes);
      this.#bytes = shared;
    }
    return { bytes: this.#bytes };
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
    if (length > MAX_READ) throw new DebugSymbolsError('too-large', `${length} bytes are read at once`);
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#descriptor, bytes, done, length - done, position + done);
      if (read === 0) throw new DebugSymbolsError('truncated', 'the file became shorter while it was read');
      done += read;
    }
    return bytes;
  }

  share(): SharedSource {
    return { descriptor: this.#descriptor, start: 0, size: this.size };
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

  share(): SharedSource | undefined {
    const whole = this.#whole.share?.();
    if (whole === undefined) return undefined;
    if ('bytes' in whole) return { bytes: whole.bytes.subarray(this.#start, this.#start + this.size) };
    return { descriptor: whole.descriptor, start: whole.start + this.#start, size: this.size };
  }
}

function checkRange(position: number, length: number, size: number): void {
  if (position >= 0 && length >= 0 && position + length <= size) return;
  throw new DebugSymbolsError(
    'truncated',
    `it ends early or is damaged: ${length} bytes at ${position} are outside the available ${size} bytes`,
  );
}
