// The numbered records of types (stream 2) and of functions and strings about the build (stream 4).
// The layout is described in LLVM's documentation, "The PDB TPI and IPI Streams".
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { u16, u32 } from './bytes.ts';
import { TypeHashes } from './type-hashes.ts';

const HEADER_SIZE = 56;
const PAGE_SIZE = 65_536;
/** Pages that stay in memory: 8 MB. Larger streams are read again where needed. */
const MAX_PAGES = 128;
/** The first number is 0x1000 in practice. */
const MAX_FIRST = 0x100000;
/** Their places need four bytes each. Even programs of several gigabytes have fewer types. */
const MAX_RECORDS = 1 << 25;
/** Records that describe more than this are cut: no name of interest is that long. */
const MAX_RECORD_SIZE = 65_538;

/** A record, without its size. The bytes are valid until they are collected; they must not be changed. */
export interface TypeRecord {
  /** What the record describes, such as `LF_POINTER`. */
  readonly kind: number;
  /** The fields after the kind. */
  readonly bytes: Uint8Array;
}

/**
 * Finds records by their number. Only the place of each is in memory, since the records of a large program need
 * hundreds of megabytes.
 */
export class TypeStream {
  readonly #stream: ByteSource;
  /** The number of the first record. Smaller numbers are built-in types. */
  readonly #first: number;
  /** Where each record begins in the stream. */
  #places: Uint32Array;
  readonly #pages = new Map<number, Uint8Array>();
  readonly #openStream: (index: number) => ByteSource | undefined;
  #hashes: TypeHashes | undefined;

  /**
   * A missing or unreadable stream has no records. Throws a DebugSymbolsError if there are too many. `places` are those
   * that another thread has found in it.
   */
  constructor(
    stream: ByteSource | undefined,
    openStream: (index: number) => ByteSource | undefined = () => undefined,
    places?: Uint32Array,
  ) {
    this.#openStream = openStream;
    this.#stream = stream ?? { size: 0, read: () => new Uint8Array() };
    this.#first = 0;
    this.#places = new Uint32Array();
    if (this.#stream.size < HEADER_SIZE) return;
    const header = this.#stream.read(0, HEADER_SIZE);
    this.#first = Math.min(u32(header, 8), MAX_FIRST);
    const start = u32(header, 4);
    const end = Math.min(start + u32(header, 16), this.#stream.size);
    // Every record has at least four bytes, which bounds the table whatever count the header gives.
    const count = Math.min(Math.max(u32(header, 12) - this.#first, 0), Math.floor(Math.max(end - start, 0) / 4));
    if (count > MAX_RECORDS) throw new DebugSymbolsError('too-large', `the PDB has ${count} types`);
    this.#places = places ?? this.#index(count, start, end);
  }

  /** One more than the largest number of a record; 0 if there are none. */
  get end(): number {
    return this.#places.length === 0 ? 0 : this.#first + this.#places.length;
  }

  /** The places of the records for other threads. */
  sharePlaces(): Uint32Array {
    if (!(this.#places.buffer instanceof SharedArrayBuffer)) {
      const places = new Uint32Array(new SharedArrayBuffer(this.#places.byteLength));
      places.set(this.#places);
      this.#places = places;
    }
    return this.#places;
  }

  /** Returns record `index`, or undefined if there is none. */
  record(index: number): TypeRecord | undefined {
    const place = this.#places[index - this.#first];
    if (place === undefined) return undefined;
    const size = this.#u16(place);
    const bytes = this.#bytes(place + 2, Math.min(size, this.#stream.size - place - 2));
    return { kind: u16(bytes, 0), bytes: bytes.subarray(2) };
  }

  /** Returns the numbers of the records that could have a name; none if the stream has no hashes. */
  candidates(name: Uint8Array): Uint32Array {
    this.#hashes ??= this.#readHashes();
    return this.#hashes.candidates(name);
  }

  #readHashes(): TypeHashes {
    const header = this.#stream.size < HEADER_SIZE ? new Uint8Array(HEADER_SIZE) : this.#stream.read(0, HEADER_SIZE);
    const stream = this.#openStream(u16(header, 20)) ?? { size: 0, read: () => new Uint8Array() };
    return new TypeHashes(header, stream);
  }

  #index(count: number, start: number, end: number): Uint32Array {
    const places = new Uint32Array(count);
    let at = start;
    let found = 0;
    for (; found < count && at + 4 <= end; found++) {
      places[found] = at;
      at += this.#u16(at) + 2;
    }
    return places.subarray(0, found);
  }

  #u16(at: number): number {
    const inPage = at % PAGE_SIZE;
    if (inPage + 2 > PAGE_SIZE) return u16(this.#bytes(at, 2), 0);
    return u16(this.#page(Math.floor(at / PAGE_SIZE)), inPage);
  }

  #bytes(at: number, length: number): Uint8Array {
    const size = Math.min(length, MAX_RECORD_SIZE);
    const inPage = at % PAGE_SIZE;
    if (inPage + size <= PAGE_SIZE) {
      return this.#page(Math.floor(at / PAGE_SIZE)).subarray(inPage, inPage + size);
    }
    return this.#stream.read(at, size);
  }

  #page(index: number): Uint8Array {
    const cached = this.#pages.get(index);
    if (cached !== undefined) return cached;
    const start = index * PAGE_SIZE;
    const page = this.#stream.read(start, Math.min(PAGE_SIZE, this.#stream.size - start));
    if (this.#pages.size >= MAX_PAGES) this.#pages.delete(this.#pages.keys().next().value!);
    this.#pages.set(index, page);
    return page;
  }
}
