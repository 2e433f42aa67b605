// Reads the central directory of a zip in the blob store, before anything is unpacked.
import { isUtf8 } from 'node:buffer';
import { MIB } from '@chauffeur/contract/limits';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import { readBytes } from '../blobs/blob-bytes.ts';
import type { BlobStore } from '../blobs/store.ts';
import { FLAGS, MODES, normalPathOf, type ZipDirectory, type ZipEntry, ZipError } from './zip-entry.ts';

/** A directory of 200,000 entries with names of 250 bytes takes 60 MB. */
const MAX_DIRECTORY_BYTES = 64 * MIB;
/** Enough for the longest comment (64 KiB) and the records before it. */
const TAIL_BYTES = 128 * 1024;
const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');

/**
 * Reads the directory of the zip of `size` bytes under `key`; only its header if it declares more than `maxEntries`.
 * Rejects with ZipError unless every unpacker would read the zip in the same way; errors of the store pass through.
 */
export async function readZipDirectory(
  store: BlobStore,
  key: string,
  size: number,
  maxEntries: number,
): Promise<ZipDirectory> {
  const tailStart = Math.max(0, size - TAIL_BYTES);
  const tail = size === 0 ? Buffer.alloc(0) : await readBytes(store, key, tailStart, size);
  if (!tail.includes(END_SIGNATURE)) {
    throw new ZipError('The file is not a .zip, or its end is missing. Upload the complete .zip.');
  }
  const reader = new MemoryReader();
  reader.hold(tailStart, tail);
  const zip = await asZipError(
    fromRandomAccessReaderPromise(reader, size, { decodeStrings: false, autoClose: false, validateEntrySizes: false }),
  );
  // Declared as boolean by mistake; it is an offset.
  const start = Number(zip.readEntryCursor);
  if (!(start < size)) throw damaged('its directory starts after its end');
  if (size - start > MAX_DIRECTORY_BYTES + TAIL_BYTES) {
    throw new ZipError('The directory of the .zip is over 64 MB. Pack fewer files or use shorter names.');
  }
  const { entryCount } = zip;
  if (entryCount > maxEntries) return { fileSize: size, start, entryCount, entries: [] };

  if (start < tailStart) reader.hold(start, await readBytes(store, key, start, size));
  const entries = await asZipError(readEntries(zip));
  const endRecord = size - END_BYTES - zip.comment.length;
  checkEnd(reader, { start, end: Number(zip.readEntryCursor), count: entryCount }, endRecord);
  return { fileSize: size, start, entryCount, entries };
}

/** Passes yauzl only bytes that were read before, so that parsing is bounded and never waits. */
class MemoryReader extends RandomAccessReader {
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  /** Holds `bytes`, which begin at `start` of the zip, instead of the previous ones. */
  hold(start: number, bytes: Buffer): void {
    this.#start = start;
    this.#bytes = bytes;
  }

  /** Returns the `length` bytes at `position` of the zip. Throws ZipError if they are not held. */
  slice(position: number, length: number): Buffer {
    const from = position - this.#start;
    if (!(from >= 0 && from + length <= this.#bytes.length)) throw damaged('its directory points outside itself');
    return this.#bytes.subarray(from, from + length);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    // An error of `slice` is thrown by the call that made yauzl read.
    this.slice(position, length).copy(buffer, offset);
    callback(null);
  }
}

async function readEntries(zip: ZipFile): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(toZipEntry(entry));
  return entries;
}

function toZipEntry(entry: Entry): ZipEntry {
  const names = readNames(entry);
  const mode = entry.externalFileAttributes >>> 16;
  return {
    path: pathOf(names[0]),
    names,
    rawName: entry.fileNameRaw,
    type: readType(mode, names[0]),
    mode,
    isDosFolder: (entry.externalFileAttributes & DOS_FOLDER) !== 0,
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    packedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    offset: entry.relativeOffsetOfLocalHeader,
  };
}

/** Info-ZIP's Unicode Path Extra Field (APPNOTE.TXT, 4.6.9): a second name that only some unpackers use. */
const UNICODE_PATH = 0x7075;

/**
 * Returns the names of an entry, best first. Tools on macOS write UTF-8 without setting the flag, so valid UTF-8 is
 * read as UTF-8, and other names as code page 437. Invalid bytes become U+FFFD.
 */
function readNames(entry: Entry): [string, ...string[]] {
  const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry;
  const plain =
    (flags & FLAGS.utf8) !== 0 || isUtf8(raw) ? raw.toString('utf8') : getFileNameLowLevel(0, raw, [], true);
  if (!extraFields.some((field) => field.id === UNICODE_PATH)) return [plain];
  const extra = getFileNameLowLevel(flags, raw, extraFields, true);
  return extra === plain ? [plain] : [extra, plain];
}

function pathOf(name: string): string {
  const path = normalPathOf(name);
  return path !== '' && name.endsWith('/') ? `${path}/` : path;
}

const DOS_FOLDER = 0x10;

/** Decides by the Unix mode, regardless of the declared system, because unpackers differ in that. */
function readType(mode: number, path: string): ZipEntry['type'] {
  if ((mode & MODES.type) === MODES.symlink) return 'symlink';
  return path.endsWith('/') ? 'folder' : 'file';
}

const END_BYTES = 22;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_BYTES = 56;

/**
 * Checks that the directory ends where the end record begins (APPNOTE.TXT, 4.3.14 to 4.3.16), and that the records
 * state its count, size and offset correctly. Unpackers differ in which of these they trust: if the values disagree,
 * one of them would see entries that were not checked here.
 */
function checkEnd(reader: MemoryReader, read: { start: number; end: number; count: number }, endRecord: number): void {
  const { start, count } = read;
  const size = read.end - start;
  const record = reader.slice(endRecord, END_BYTES);
  const recorded = { count: record.readUInt16LE(10), size: record.readUInt32LE(12), offset: record.readUInt32LE(16) };
  const zip64Bytes = endRecord - ZIP64_LOCATOR_BYTES - read.end;
  const agrees =
    zip64Bytes < ZIP64_END_BYTES
      ? zip64Bytes === -ZIP64_LOCATOR_BYTES &&
        recorded.count === count &&
        recorded.size === size &&
        recorded.offset === start
      : zip64Agrees(reader.slice(read.end, ZIP64_END_BYTES), zip64Bytes, { start, size, count }) &&
        (recorded.count === 0xffff || recorded.count === count) &&
        (recorded.size === 0xffffffff || recorded.size === size) &&
        (recorded.offset === 0xffffffff || recorded.offset === start);
  if (!agrees) throw damaged('its end record does not match its directory');
}

function zip64Agrees(record: Buffer, length: number, read: { start: number; size: number; count: number }): boolean {
  return (
    record.readUInt32LE(0) === 0x06064b50 &&
    // The recorded size excludes the signature and this field.
    Number(record.readBigUInt64LE(4)) + 12 === length &&
    Number(record.readBigUInt64LE(32)) === read.count &&
    Number(record.readBigUInt64LE(40)) === read.size &&
    Number(record.readBigUInt64LE(48)) === read.start
  );
}

function damaged(how: string): ZipError {
  return new ZipError(`The .zip is damaged (${how}). Create it again and upload the complete file.`);
}

/** Every error of the parser is about the bytes, since reading from memory cannot fail. */
async function asZipError<T>(parsing: Promise<T>): Promise<T> {
  try {
    return await parsing;
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError(damaged(String((error as Error).message).replace(/\.$/, '')).message, { cause: error });
  }
}
