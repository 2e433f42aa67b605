// A minidump file: its header, its directory, and the streams in it, each parsed when it is asked for.
import { Bytes, type Cursor } from './bytes.ts';
import { MinidumpError } from './error.ts';

/** Where something lies in the file: `MINIDUMP_LOCATION_DESCRIPTOR`. */
export type Location = { readonly size: number; readonly rva: number };

/** One line of the directory. */
export type DirectoryEntry = Location & { readonly type: number };

/** How a kind of stream is read: one file below `streams/` each. */
export type StreamKind<T> = {
  /** `MINIDUMP_STREAM_TYPE`. */
  readonly type: number;
  /** For messages, in the format’s own words: `ThreadListStream`. */
  readonly name: string;
  /** Reads as much as is there. Calls `input.warn` for an entry that it leaves out; throws when nothing can be read. */
  read(input: StreamInput): T;
};

export type StreamInput = {
  /** As much of the stream as is there. */
  readonly bytes: Bytes;
  /** The size that the directory gives, which is more than `bytes` has when the file was cut off. */
  readonly claimedSize: number;
  readonly dump: Minidump;
  /** Says, for the report, what was left out and why. */
  warn(text: string): void;
};

/** 'MDMP' as a number. */
const SIGNATURE = 0x504d444d;
const HEADER_SIZE = 32;
const ENTRY_SIZE = 12;
/** No real dump has a hundredth of them; a damaged count must not make a directory of 4 billion lines. */
const MAX_STREAMS = 4096;
/** A damaged dump could have something to say about each of a million entries. */
const MAX_WARNINGS = 100;
/** Texts of real dumps share few bytes (handles the names of their types), so that once their size would nearly do. */
const COPIED_PER_BYTE = 2;

export class Minidump {
  readonly bytes: Bytes;
  /** Seconds since 1970 (UTC), when the dump was written. */
  readonly timestamp: number;
  /** `MINIDUMP_TYPE`, what its writer was asked to include. */
  readonly flags: bigint;
  readonly directory: readonly DirectoryEntry[];
  readonly #warnings: string[] = [];
  readonly #read = new Map<number, unknown>();
  #copyable: number;
  #refusedCopies = false;

  /** Reads header and directory. Throws a MinidumpError when `file` is not a minidump. */
  constructor(file: Uint8Array) {
    this.bytes = new Bytes(file, isLittleEndian(file));
    this.#copyable = file.byteLength * COPIED_PER_BYTE;
    const header = this.bytes.cursor(4);
    const version = header.u32() & 0xffff;
    if (version !== 0xa793) this.warn(`the header gives version ${version}, not 42899`);
    const count = header.u32();
    const directoryRva = header.u32();
    header.skip(4);
    this.timestamp = header.u32();
    this.flags = header.u64();
    this.directory = this.#readDirectory(count, directoryRva);
  }

  /** What was wrong so far, and how it was handled. Grows as streams are read. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Records what was found wrong; the report tells it. */
  warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(text);
  }

  /** The stream, parsed at the first call; undefined when there is none, or none that can be read (a warning then says why). */
  stream<T>(kind: StreamKind<T>): T | undefined {
    if (!this.#read.has(kind.type)) this.#read.set(kind.type, this.#readStream(kind));
    return this.#read.get(kind.type) as T | undefined;
  }

  /** The bytes at a place of the file. */
  at({ rva, size }: Location): Bytes {
    return this.bytes.window(rva, size);
  }

  /** As many of the bytes at a place of the file as there are: of a file that was cut off, what is before the cut is as good as ever. */
  atMost({ rva, size }: Location): Bytes {
    const start = Math.min(rva, this.bytes.size);
    return this.bytes.window(start, Math.min(size, this.bytes.size - start));
  }

  /**
   * The bytes at a place of the file, of which the caller makes a text or a list. Undefined when they are not all there, or when what
   * is made of the dump so far is already far larger than the file; a warning tells the latter once.
   *
   * A hostile dump of 1 MB can hold 10,000 modules that all call the same 900 KB their name: 9 GB of names. And it can hold 100,000 names
   * that are not there: an error for each, with its stack trace, would take seconds, so this throws none.
   */
  copyable(location: Location): Bytes | undefined {
    if (location.rva + location.size > this.bytes.size) return undefined;
    if (location.size > this.#copyable) {
      if (!this.#refusedCopies) this.warn('the texts are together far larger than the file; some are left out');
      this.#refusedCopies = true;
      return undefined;
    }
    this.#copyable -= location.size;
    return this.at(location);
  }

  #readDirectory(count: number, rva: number): DirectoryEntry[] {
    const fitting = Math.floor(Math.max(0, this.bytes.size - rva) / ENTRY_SIZE);
    const used = Math.min(count, fitting, MAX_STREAMS);
    if (used < count) this.warn(`the directory claims ${count} streams; ${used} of them can be read`);
    if (used === 0 && count > 0)
      throw new MinidumpError('truncated', `The directory lies outside the file, at ${rva}.`);
    const cursor = this.bytes.cursor(rva);
    return Array.from({ length: used }, () => readEntry(cursor));
  }

  #readStream<T>(kind: StreamKind<T>): T | undefined {
    // A writer that was asked twice leaves two: the first counts, as for the other readers of the format.
    const entry = this.directory.find(({ type }) => type === kind.type);
    if (entry === undefined) return undefined;
    const warn = (text: string) => this.warn(`${kind.name}: ${text}`);
    const bytes = this.atMost(entry);
    if (bytes.size < entry.size) warn(`only ${bytes.size} of its ${entry.size} bytes are there`);
    try {
      return kind.read({ bytes, claimedSize: entry.size, dump: this, warn });
    } catch (error) {
      if (!(error instanceof MinidumpError)) throw error;
      warn(error.message);
      return undefined;
    }
  }
}

function isLittleEndian(file: Uint8Array): boolean {
  if (file.byteLength < HEADER_SIZE)
    throw new MinidumpError(
      'not-a-minidump',
      `A minidump has at least ${HEADER_SIZE} bytes; these are ${file.byteLength}.`,
    );
  for (const littleEndian of [true, false]) {
    if (new Bytes(file, littleEndian).u32(0) === SIGNATURE) return littleEndian;
  }
  throw new MinidumpError('not-a-minidump', 'The file does not begin with MDMP.');
}

function readEntry(cursor: Cursor): DirectoryEntry {
  return { type: cursor.u32(), size: cursor.u32(), rva: cursor.u32() };
}
