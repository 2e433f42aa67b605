// Reads an archive of CrashReportClient as it arrives, for a disk without room for it. Its small files, such as the
// context and the log, are held in memory, and the others are skipped.
import { KIB, MIB } from '@chauffeur/contract/limits';
import type { ByteSource } from '../../../kernel/blobs/store.ts';

/** A file of the archive, with its first bytes. */
export type ArchivedFile = { readonly name: string; readonly magic: string; content(): ByteSource };

/** The bytes that all archives may still hold together. */
export type HeldSpace = { left: number };

/** `release` is called when the files were read. */
export type HeldArchive = { readonly files: readonly ArchivedFile[]; release(): void };

export const MAGIC_BYTES = 4;
export const MARKER = 'CR1';
/** The engine pads names to 260 bytes. No OS has longer paths than this. */
export const MAX_NAME_LENGTH = 4 * KIB;
export const MAX_FILES = 100;

const MAX_FILE_BYTES = 4 * MIB;
const MAX_ARCHIVE_BYTES = 8 * MIB;

/**
 * The files of the archive, as far as its bytes have the form of one. Reading the content of a file that isn't held
 * throws an error that says that there is no space. Throws errors of the source.
 */
export async function holdArchive(source: ByteSource, space: HeldSpace): Promise<HeldArchive> {
  const bytes = new Bytes(source);
  const files: ArchivedFile[] = [];
  let held = 0;
  const release = () => {
    space.left += held;
    held = 0;
  };
  try {
    await skipHead(bytes);
    while (files.length < MAX_FILES) {
      const head = await headOf(bytes);
      if (head === null) break;
      const { name, size } = head;
      const isHeld = size <= Math.min(MAX_FILE_BYTES, MAX_ARCHIVE_BYTES - held, space.left);
      if (isHeld) {
        held += size;
        space.left -= size;
      }
      const start = await bytes.take(isHeld ? size : Math.min(size, MAGIC_BYTES));
      if (start === null || !(await bytes.skip(size - start.length))) break;
      const magic = start.subarray(0, MAGIC_BYTES).toString('latin1');
      files.push({ name, magic, content: () => contentOf(isHeld ? start : null) });
    }
    // An unread rest would count as a body that was cut off.
    await bytes.skip(Number.POSITIVE_INFINITY);
    return { files, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function* contentOf(bytes: Uint8Array | null): AsyncGenerator<Uint8Array, undefined> {
  if (bytes === null) throw Object.assign(new Error('The archive did not fit on the disk'), { code: 'ENOSPC' });
  if (bytes.length > 0) yield bytes;
}

/** The header, whose number of files older engines write only at the end. */
async function skipHead(bytes: Bytes): Promise<void> {
  const start = await bytes.take(MARKER.length);
  if (start === null) return;
  if (start.toString('latin1') !== MARKER) bytes.putBack(start);
  await nameOf(bytes);
  await nameOf(bytes);
  await bytes.take(8);
}

/** The name and the size of the next file; null after the last one. */
async function headOf(bytes: Bytes): Promise<{ readonly name: string; readonly size: number } | null> {
  await bytes.take(4);
  const name = await nameOf(bytes);
  const size = name === null ? undefined : (await bytes.take(4))?.readInt32LE();
  return name === null || size === undefined || size < 0 ? null : { name, size };
}

async function nameOf(bytes: Bytes): Promise<string | null> {
  const length = (await bytes.take(4))?.readUInt32LE() ?? Number.POSITIVE_INFINITY;
  const name = length > MAX_NAME_LENGTH ? null : await bytes.take(length);
  return name === null ? null : (name.toString('utf8').split('\0', 1)[0] ?? '');
}

class Bytes {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();

  constructor(source: ByteSource) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  /** The next bytes; null if there are fewer. */
  async take(length: number): Promise<Buffer | null> {
    const taken = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const piece = await this.#next(length - at);
      if (piece === null) return null;
      taken.set(piece, at);
      at += piece.length;
    }
    return taken;
  }

  putBack(bytes: Uint8Array): void {
    this.#piece = Buffer.concat([bytes, this.#piece]);
  }

  /** Returns false if there are fewer bytes. */
  async skip(length: number): Promise<boolean> {
    for (let left = length; left > 0; ) {
      const piece = await this.#next(left);
      if (piece === null) return false;
      left -= piece.length;
    }
    return true;
  }

  async #next(max: number): Promise<Uint8Array | null> {
    while (this.#piece.length === 0) {
      const { done, value } = await this.#iterator.next();
      if (done) return null;
      this.#piece = value;
    }
    const bytes = this.#piece.subarray(0, max);
    this.#piece = this.#piece.subarray(bytes.length);
    return bytes;
  }
}
