// Reads the symbol files of an uploaded zip one after the other, with limits that hold even if the zip's own sizes are
// wrong.
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { GIB, LIMITS } from '@chauffeur/contract/limits';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { formatFileName, textTooLarge } from './store-text.ts';

export type ZippedFile = {
  readonly name: string;
  /**
   * The unpacked file, to be read before the next one is requested. Throws `notSymbols` if it does not match the
   * directory.
   */
  readonly bytes: ByteSource;
};

/** This is higher than the limit for files, because folders, which are skipped, are entries too. */
export const MAX_ENTRIES = 10 * LIMITS.symbolFiles;

/**
 * Throws `notSymbols` for a file that is not a zip, is damaged or encrypted, has unsafe names or contains no files, and
 * `tooLarge` if it exceeds a limit, before anything is unpacked. Never yields more bytes than the directory announces.
 */
export async function* unpack(
  file: FileHandle,
  size: number,
  maxFiles: number = LIMITS.symbolFiles,
): AsyncGenerator<ZippedFile, undefined> {
  const zip = await asRefusal(openZip(file, size));
  const files = await readDirectory(zip);
  requireBounds(files, maxFiles);
  for (const entry of files) yield { name: entry.fileName, bytes: readEntry(zip, entry) };
}

/** Files that macOS and Windows add to folders and zips. */
const JUNK = /^__MACOSX\/|(?:^|\/)(?:\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$/i;

/** Files of a dSYM bundle besides the debug information. */
const BUNDLE = /\.dSYM\/Contents\/(?!Resources\/DWARF\/)/i;

/** The entries that are files, without junk. */
async function readDirectory(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw tooMany(LIMITS.symbolFiles);
  const entries = await asRefusal(Array.fromAsync(zip.eachEntry()));
  return entries.filter(({ fileName }) => !fileName.endsWith('/') && !JUNK.test(fileName) && !BUNDLE.test(fileName));
}

function requireBounds(files: readonly Entry[], maxFiles: number): void {
  if (files.length === 0) throw errors.notSymbols('The .zip contains no files. Add the symbol files.');
  if (files.length > maxFiles) throw tooMany(maxFiles);
  const large = files.find(
    ({ fileName, uncompressedSize }) => fileName.endsWith('.sym') && uncompressedSize > LIMITS.symbolFileBytes,
  );
  if (large !== undefined) throw textTooLarge(large.fileName);
  const unpacked = files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (unpacked > LIMITS.symbolUnpackedBytes) throw unpacksTooLarge();
}

function openZip(file: FileHandle, size: number): Promise<ZipFile> {
  // The sizes are checked during inflation against the directory.
  const options = { autoClose: false, validateEntrySizes: true };
  return fromRandomAccessReaderPromise(new HandleReader(file), size, options);
}

/**
 * Reads through the handle, which waits for pending reads before it closes. A plain descriptor could refer to another
 * file by then.
 */
class HandleReader extends RandomAccessReader {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readRange(this.#file, start, end), { objectMode: false });
  }
}

const READ_BYTES = 256 * 1024;

async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(Math.min(READ_BYTES, end - at)), { position: at });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer, undefined> {
  const stream = await asRefusal(zip.openReadStreamPromise(entry), entry.fileName);
  let checksum = 0;
  try {
    for (const chunks = stream[Symbol.asyncIterator](); ; ) {
      const next = await asRefusal(chunks.next(), entry.fileName);
      if (next.done === true) break;
      checksum = crc32(next.value, checksum);
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
  if (checksum !== entry.crc32) throw damaged('its checksum is wrong', entry.fileName);
}

/**
 * Converts errors of the parser and of zlib, which are about the zip. Errors of the disk have a `syscall` and are
 * rethrown.
 */
async function asRefusal<T>(reading: Promise<T>, name?: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    throw damaged((error as Error).message, name, error);
  }
}

const MAX_REASON_LENGTH = 120;

function damaged(reason: string, name?: string, cause?: unknown): ApiError {
  const printable = reason.slice(0, MAX_REASON_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  const message =
    name === undefined
      ? `The .zip cannot be read (${printable}). Create it again.`
      : `The .zip entry ${formatFileName(name)} cannot be read (${printable}). Create the .zip again.`;
  return errors.notSymbols(message, { cause });
}

function tooMany(max: number): ApiError {
  return errors.tooLarge(`The .zip contains more than ${max} symbol files. Send them in several uploads.`);
}

export function unpacksTooLarge(): ApiError {
  const max = LIMITS.symbolUnpackedBytes / GIB;
  return errors.tooLarge(`The .zip unpacks to more than ${max} GB. Send the symbol files in several uploads.`);
}
