// Keeps packed bytes that can only be used as a whole: a large file that is one deflate stream, or a whole zip. Slices of
// them can arrive in any order, and slices that have arrived are used after an interruption.
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, open, readFile, rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { writeAll } from './content.ts';
import type { Part } from './download.ts';
import type { Handles } from './handles.ts';
import { statOf } from './inside.ts';

const SLICE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const INDEX_BYTES = 4;
const PACKED = '.packed';
const HAVE = '.have';

export class Spool {
  readonly path: string;
  /** Lists the slices that have arrived, as numbers of 32 bits. */
  readonly #have: string;
  readonly #length: number;
  readonly #present: Set<number>;
  readonly #handles: Handles;

  private constructor(path: string, length: number, present: Set<number>, handles: Handles) {
    this.path = path + PACKED;
    this.#have = path + HAVE;
    this.#length = length;
    this.#present = present;
    this.#handles = handles;
  }

  /** Opens a spool of `length` bytes whose files begin with `path`, or creates it. */
  static async open(path: string, length: number, handles: Handles): Promise<Spool> {
    const [packed, have] = [path + PACKED, path + HAVE];
    const stats = await statOf(packed);
    const listed = await readFile(have).catch(() => Buffer.alloc(0));
    const present = new Set<number>();
    if (stats?.isFile() && stats.size === length)
      for (let at = 0; at + INDEX_BYTES <= listed.length; at += INDEX_BYTES) present.add(listed.readUInt32LE(at));
    if (present.size === 0) {
      await rm(have, { force: true });
      await rm(packed, { recursive: true, force: true });
      await using handle = await open(packed, 'wx', 0o644);
      await handle.truncate(length);
    }
    return new Spool(path, length, present, handles);
  }

  /** The files of a spool. */
  static namesOf(path: string): string[] {
    return [path + PACKED, path + HAVE];
  }

  get presentBytes(): number {
    let bytes = 0;
    for (const index of this.#present) bytes += Math.max(0, this.#lengthOf(index));
    return bytes;
  }

  #lengthOf(index: number): number {
    return Math.min(SLICE_BYTES, this.#length - index * SLICE_BYTES);
  }

  /** The slices that are missing, as parts of a zip in which the bytes begin at `offset`. */
  parts(offset: number): Part[] {
    const count = Math.ceil(this.#length / SLICE_BYTES);
    return Array.from({ length: count }, (_, index) => index)
      .filter((index) => !this.#present.has(index))
      .map((index) => ({
        offset: offset + index * SLICE_BYTES,
        length: this.#lengthOf(index),
        use: async (bytes) => {
          await this.#handles.use(this.path, (handle) => writeAll(handle, bytes, index * SLICE_BYTES));
          const number = Buffer.alloc(INDEX_BYTES);
          number.writeUInt32LE(index);
          await appendFile(this.#have, number);
          this.#present.add(index);
        },
      }));
  }

  /** Unpacks the deflate stream to a file. Returns false if it is damaged or doesn't have `size` bytes. */
  async unpackTo(path: string, size: number, signal: AbortSignal): Promise<boolean> {
    try {
      await pipeline(
        createReadStream(this.path, { highWaterMark: CHUNK_BYTES }),
        createInflateRaw({ chunkSize: CHUNK_BYTES }),
        limitTo(size),
        createWriteStream(path, { highWaterMark: CHUNK_BYTES }),
        { signal },
      );
    } catch (error) {
      signal.throwIfAborted();
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code.startsWith('Z_') || error instanceof TooLongError) return false;
      throw error;
    }
    return (await statOf(path))?.size === size;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.#have, { force: true });
  }
}

class TooLongError extends Error {}

/** Ends a stream with an error when more bytes come than announced, so that a small download can't fill the disk. */
function limitTo(size: number): Transform {
  let left = size;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new TooLongError());
      else done(null, chunk);
    },
  });
}
