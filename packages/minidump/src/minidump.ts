// Reads a minidump file: its header, its directory, and its streams, which are parsed on request.
import { Bytes, type Cursor } from './bytes.ts';
import { MinidumpError } from './error.ts';

/** The position and size of something in the file: `MINIDUMP_LOCATION_DESCRIPTOR`. */
export type Location = { readonly size: number; readonly rva: number };

/** An entry of the directory. */
type DirectoryEntry = Location & { readonly type: number };

/** How a type of stream is read. Each is a file in `streams/`. */
export type StreamKind<T> = {
  /** `MINIDUMP_STREAM_TYPE`. */
  readonly type: number;
  /** The name of the format's documentation, for messages: `ThreadListStream`. */
  readonly name: string;
  /** Reads as much as possible. Calls `input.warn` for entries that it leaves out, and throws if nothing can be read. */
  read(input: StreamInput): T;
};

export type StreamInput = {
  /** The available bytes of the stream. */
  readonly bytes: Bytes;
  /** The size according to the directory. Larger than `bytes` if the file is cut off. */
  readonly claimedSize: number;
  readonly dump: Minidump;
  /** Adds a warning to the report: what was left out and why. */
  warn(text: string): void;
};

/** 'MDMP' as a number. */
const SIGNATURE = 0x504d444d;
const HEADER_SIZE = 32;
const ENTRY_SIZE = 12;
/** A hundred times more than any real dump has. Protects against a damaged count of up to 4 billion. */
const MAX_STREAMS = 4096;
/** A damaged dump could cause a warning for each of a million entries. */
const MAX_WARNINGS = 100;
/**
 * How many bytes of text may be read per byte of the file. In real dumps, few texts share their bytes (such as the type
 * names of handles), so slightly more than 1 would be enough.
 */
const COPIED_PER_BYTE = 2;

export class Minidump {
  readonly bytes: Bytes;
  /** Seconds since 1970 (UTC), when the dump was written. */
  readonly timestamp: number;
  /** `MINIDUMP_TYPE`: what the writer was asked to include. */
  readonly flags: bigint;
  readonly directory: readonly DirectoryEntry[];
  readonly #warnings: string[] = [];
  readonly #read = new Map<number, unknown>();
  #copyable: number;
  #refusedCopies = false;

  /** Reads the header and the directory. Throws a MinidumpError if `file` is not a minidump. */
  constructor(file: Uint8Array) {
    this.bytes = new Bytes(file, isLittleEndian(file));
    this.#copyable = file.byteLength * COPIED_PER_BYTE;
    const header = this.bytes.cursor(4);
    const version = header.u32() & 0xffff;
    if (version !== 0xa793) this.warn(`the header has version ${version} instead of 42899`);
    const count = header.u32();
    const directoryRva = header.u32();
    header.skip(4);
    this.timestamp = header.u32();
    this.flags = header.u64();
    this.directory = this.#readDirectory(count, directoryRva);
  }

  /** The problems found so far and how they were handled. Grows as streams are read. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Adds a warning to the report. */
  warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(text);
  }

  /** Returns the stream, parsed on the first call; undefined if it is missing, or unreadable (with a warning that says why). */
  stream<T>(kind: StreamKind<T>): T | undefined {
    if (!this.#read.has(kind.type)) this.#read.set(kind.type, this.#readStream(kind));
    return this.#read.get(kind.type) as T | undefined;
  }

  /** Returns the bytes at a location. Throws a MinidumpError `truncated` if they are not all in the file. */
  at({ rva, size }: Location): Bytes {
    return this.bytes.window(rva, size);
  }

  /** Returns the bytes at a location, or as many as the file has: a file that was cut off is still valid before the cut. */
  availableAt({ rva, size }: Location): Bytes {
    const start = Math.min(rva, this.bytes.size);
    return this.bytes.window(start, Math.min(size, this.bytes.size - start));
  }

  /**
   * Returns the bytes at a location, which the caller copies into a text or a list. Undefined if they are not all in the
   * file, or if the copies made so far are already far larger than the file (with a single warning).
   *
   * A malicious dump of 1 MB can contain 10,000 modules that share the same 900 KB as their name: 9 GB of names. It can
   * also contain 100,000 names outside the file. Throwing an error with a stack trace for each would take seconds, so
   * this method does not throw.
   */
  copyable(location: Location): Bytes | undefined {
    if (location.rva + location.size > this.bytes.size) return undefined;
    if (location.size > this.#copyable) {
      if (!this.#refusedCopies) this.warn('the texts together are far larger than the file, so some were left out');
      this.#refusedCopies = true;
      return undefined;
    }
    this.#copyable -= location.size;
    return this.at(location);
  }

  #readDirectory(count: number, rva: number): DirectoryEntry[] {
    const fitting = Math.floor(Math.max(0, this.bytes.size - rva) / ENTRY_SIZE);
    const used = Math.min(count, fitting, MAX_STREAMS);
    if (used < count) this.warn(`the directory claims ${count} streams, but only ${used} can be read`);
    if (used === 0 && count > 0) throw new MinidumpError('truncated', `The directory is outside the file, at ${rva}.`);
    const cursor = this.bytes.cursor(rva);
    return Array.from({ length: used }, () => readEntry(cursor));
  }

  #readStream<T>(kind: StreamKind<T>): T | undefined {
    // Some dumps have two streams of the same type. Like other readers of the format, use the first.
    const entry = this.directory.find(({ type }) => type === kind.type);
    if (entry === undefined) return undefined;
    const warn = (text: string) => this.warn(`${kind.name}: ${text}`);
    const bytes = this.availableAt(entry);
    if (bytes.size < entry.size) warn(`only ${bytes.size} of its ${entry.size} bytes are available`);
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
      `The file has ${file.byteLength} bytes, but a minidump has at least ${HEADER_SIZE}.`,
    );
  for (const littleEndian of [true, false]) {
    if (new Bytes(file, littleEndian).u32(0) === SIGNATURE) return littleEndian;
  }
  throw new MinidumpError('not-a-minidump', 'The file does not begin with MDMP.');
}

function readEntry(cursor: Cursor): DirectoryEntry {
  return { type: cursor.u32(), size: cursor.u32(), rva: cursor.u32() };
}
