// Reads the symbol files of an uploaded zip one after the other, within bounds that hold whatever the zip says of itself.
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { ApiError } from '@chauffeur/contract/errors';
import { GIB, LIMITS } from '@chauffeur/contract/limits';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { showName, tooLarge } from './store-text.ts';

export type ZippedFile = {
  readonly name: string;
  /** The file unpacked. Throws 4049 where it is not what the zip says. To be read before the next file is asked for. */
  readonly bytes: ByteSource;
};

/** Folders have entries, too, and are passed over. */
const MOST_ENTRIES = 10 * LIMITS.symbolFiles;

/**
 * Throws 4049 for what is no zip, is damaged or encrypted, has names that lead elsewhere, or holds no file; 4043 for one that
 * holds more than is taken, before any of it is unpacked. No more bytes are ever given than the directory tells.
 */
export async function* unpack(file: FileHandle, size: number): AsyncGenerator<ZippedFile, undefined> {
  const zip = await asRefusal(openZip(file, size));
  const files = await readDirectory(zip);
  requireBounds(files);
  for (const entry of files) yield { name: entry.fileName, bytes: readEntry(zip, entry) };
}

/** The entries that are files. */
async function readDirectory(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MOST_ENTRIES) throw tooMany();
  const entries = await asRefusal(Array.fromAsync(zip.eachEntry()));
  return entries.filter(({ fileName }) => !fileName.endsWith('/'));
}

function requireBounds(files: readonly Entry[]): void {
  if (files.length === 0) throw new ApiError(4049, 'The .zip holds no file; add the .sym files.');
  if (files.length > LIMITS.symbolFiles) throw tooMany();
  const large = files.find(({ uncompressedSize }) => uncompressedSize > LIMITS.symbolFileBytes);
  if (large !== undefined) throw tooLarge(large.fileName);
  const unpacked = files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (unpacked > LIMITS.symbolUnpackedBytes) throw unpacksTooLarge();
}

function openZip(file: FileHandle, size: number): Promise<ZipFile> {
  // Its sizes are checked while it inflates: neither more nor fewer bytes than the directory says.
  const options = { autoClose: false, validateEntrySizes: true };
  return fromRandomAccessReaderPromise(new HandleReader(file), size, options);
}

/** Through the handle, which waits for reads under way before it closes: a bare descriptor could be another file’s by then. */
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

/** Errors of the parser and of zlib say something about the bytes; those of the disk say so by their `syscall`. */
async function asRefusal<T>(reading: Promise<T>, name?: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    throw damaged((error as Error).message, name, error);
  }
}

const LONGEST_REASON = 120;

function damaged(reason: string, name?: string, cause?: unknown): ApiError {
  const what = name === undefined ? 'The .zip' : `The .zip’s entry ${showName(name)}`;
  const why = reason.slice(0, LONGEST_REASON).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  return new ApiError(4049, `${what} cannot be read (${why}); make the .zip again.`, { cause });
}

function tooMany(): ApiError {
  const most = LIMITS.symbolFiles;
  return new ApiError(4043, `The .zip holds more than ${most} symbol files; send them in several uploads.`);
}

function unpacksTooLarge(): ApiError {
  const most = LIMITS.symbolUnpackedBytes / GIB;
  return new ApiError(4043, `The .zip unpacks to more than ${most} GB; send the symbol files in several uploads.`);
}
