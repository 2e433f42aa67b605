// Reads the central directory of a zip in the blob store: what the zip says about itself, before any of it is unpacked.
import { isUtf8 } from 'node:buffer';
import { MIB } from '@chauffeur/contract/limits';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { readBytes } from './blob-bytes.ts';
import { FLAGS, MODES, type ZipDirectory, type ZipEntry, ZipError } from './zip-entry.ts';

/** A directory of 200,000 entries with names of 250 bytes takes 60 MB. */
const LARGEST_DIRECTORY = 64 * MIB;
/** Holds the longest comment (64 KiB) and the records before it. */
const TAIL_BYTES = 128 * 1024;
const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');

/**
 * Reads the directory of the `size` bytes under `key`, or only its head when it announces more than `maxEntries`. Rejects with
 * ZipError when the bytes are no zip that every unpacker would read alike; errors of the store pass through.
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
    throw new ZipError('The file is not a .zip, or its end is missing; upload the whole .zip.');
  }
  const reader = new MemoryReader();
  reader.hold(tailStart, tail);
  const zip = await asZipError(
    fromRandomAccessReaderPromise(reader, size, { decodeStrings: false, autoClose: false, validateEntrySizes: false }),
  );
  // The declared type is boolean, which is a slip: it is an offset.
  const start = Number(zip.readEntryCursor);
  if (!(start < size)) throw damaged('its directory would begin behind its end');
  if (size - start > LARGEST_DIRECTORY + TAIL_BYTES) {
    throw new ZipError('The directory of the .zip is over 64 MB; pack fewer files, or give them shorter names.');
  }
  const { entryCount } = zip;
  if (entryCount > maxEntries) return { fileSize: size, start, entryCount, entries: [] };

  if (start < tailStart) reader.hold(start, await readBytes(store, key, start, size));
  const entries = await asZipError(readEntries(zip));
  const endRecord = size - END_BYTES - zip.comment.length;
  checkEnd(reader, { start, end: Number(zip.readEntryCursor), count: entryCount }, endRecord);
  return { fileSize: size, start, entryCount, entries };
}

/** Gives yauzl what was read before, and refuses what lies elsewhere: so the reading itself is bounded and never waits. */
class MemoryReader extends RandomAccessReader {
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  /** Takes `bytes`, which begin at `start` of the zip, in place of those held before. */
  hold(start: number, bytes: Buffer): void {
    this.#start = start;
    this.#bytes = bytes;
  }

  /** The `length` bytes from `position` of the zip. Throws ZipError when they are not held. */
  slice(position: number, length: number): Buffer {
    const from = position - this.#start;
    if (!(from >= 0 && from + length <= this.#bytes.length)) throw damaged('its directory points out of itself');
    return this.#bytes.subarray(from, from + length);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    // What `slice` throws comes out of the call that made yauzl read.
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
    path: names[0],
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

/** Info-ZIP’s Unicode Path Extra Field (APPNOTE.TXT, 4.6.9): a second name, which some unpackers take and others do not know. */
const UNICODE_PATH = 0x7075;

/**
 * The names of an entry, best first. Bytes that cannot be read become U+FFFD. Situation: a tool on macOS writes UTF-8 and does
 * not set the flag for it, so bytes that are UTF-8 are taken for that, and only others for code page 437.
 */
function readNames(entry: Entry): [string, ...string[]] {
  const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry;
  const plain =
    (flags & FLAGS.utf8) !== 0 || isUtf8(raw) ? raw.toString('utf8') : getFileNameLowLevel(0, raw, [], true);
  if (!extraFields.some((field) => field.id === UNICODE_PATH)) return [plain];
  const extra = getFileNameLowLevel(flags, raw, extraFields, true);
  return extra === plain ? [plain] : [extra, plain];
}

const DOS_FOLDER = 0x10;

/** By the Unix mode, whichever system is said to have made the entry, as unpackers differ in that. */
function readType(mode: number, path: string): ZipEntry['type'] {
  if ((mode & MODES.type) === MODES.symlink) return 'symlink';
  return path.endsWith('/') ? 'folder' : 'file';
}

const END_BYTES = 22;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_BYTES = 56;

/**
 * Checks that the directory ends where the end record begins (APPNOTE.TXT, 4.3.14 to 4.3.16), and that the records tell its count,
 * size and offset as they are. Unpackers differ in which of these they trust: where they disagree, one of them would see
 * entries that were not judged here.
 */
function checkEnd(reader: MemoryReader, read: { start: number; end: number; count: number }, endRecord: number): void {
  const { start, count } = read;
  const size = read.end - start;
  const record = reader.slice(endRecord, END_BYTES);
  const tells = { count: record.readUInt16LE(10), size: record.readUInt32LE(12), offset: record.readUInt32LE(16) };
  const zip64Bytes = endRecord - ZIP64_LOCATOR_BYTES - read.end;
  const agrees =
    zip64Bytes < ZIP64_END_BYTES
      ? zip64Bytes === -ZIP64_LOCATOR_BYTES && tells.count === count && tells.size === size && tells.offset === start
      : zip64Agrees(reader.slice(read.end, ZIP64_END_BYTES), zip64Bytes, { start, size, count }) &&
        (tells.count === 0xffff || tells.count === count) &&
        (tells.size === 0xffffffff || tells.size === size) &&
        (tells.offset === 0xffffffff || tells.offset === start);
  if (!agrees) throw damaged('its directory is not what its end says');
}

function zip64Agrees(record: Buffer, length: number, read: { start: number; size: number; count: number }): boolean {
  return (
    record.readUInt32LE(0) === 0x06064b50 &&
    // The record does not count its signature and this field.
    Number(record.readBigUInt64LE(4)) + 12 === length &&
    Number(record.readBigUInt64LE(32)) === read.count &&
    Number(record.readBigUInt64LE(40)) === read.size &&
    Number(record.readBigUInt64LE(48)) === read.start
  );
}

function damaged(how: string): ZipError {
  return new ZipError(`The .zip is damaged (${how}); make it again and upload the whole file.`);
}

/** The parser’s own errors all say something about the bytes, since reading from memory has none. */
async function asZipError<T>(parsing: Promise<T>): Promise<T> {
  try {
    return await parsing;
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError(damaged(String((error as Error).message).replace(/\.$/, '')).message, { cause: error });
  }
}
