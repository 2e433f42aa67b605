// The footer of a symbol cache: its module, its source, and the positions of its indexes.
import { crc32 } from 'node:zlib';
import type { ModuleLine } from '../module-line.ts';
import { ByteSink } from './byte-sink.ts';
import { type IndexExtent, isInside } from './index-table.ts';
import { damaged } from './page-reader.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE } from './pages.ts';
import type { RangeReader } from './range-reader.ts';

/** Increased with each change of the format. A cache of another version is compiled again. */
export const CACHE_VERSION = 1;
/** The last eight bytes of every cache: `CHFSYMS` and a line feed. */
const MAGIC = Uint8Array.of(0x43, 0x48, 0x46, 0x53, 0x59, 0x4d, 0x53, 0x0a);
/** The body is followed by its length (u32), its checksum (u32), the version (u32), the number of pages (u32), and MAGIC. */
const TAIL_SIZE = 24;
/** Bytes to read first. Enough for the whole footer of nearly every cache. */
const FIRST_READ = 1024;

/** The indexes, in the order of the footer. */
export const INDEX_NAMES = ['functions', 'publics', 'files', 'inlineOrigins', 'cfi', 'frameData', 'fpo'] as const;
export type IndexName = (typeof INDEX_NAMES)[number];

export type Footer = {
  readonly module: ModuleLine;
  /** The size of the source text, in bytes. */
  readonly sourceSize: number;
  /** When the source text was last changed, in microseconds since 1970; 0 if unknown. */
  readonly sourceTime: number;
  readonly indexes: Readonly<Record<IndexName, IndexExtent>>;
};

export function encodeFooter({ module, sourceSize, sourceTime, indexes }: Footer, pageCount: number): Uint8Array {
  const sink = new ByteSink();
  for (const text of [module.os, module.cpu, module.debugId, module.name].map((field) => Buffer.from(field))) {
    sink.u32(text.length);
    sink.raw(text);
  }
  sink.u64(sourceSize);
  sink.u64(sourceTime);
  for (const name of INDEX_NAMES) {
    sink.u64(indexes[name].position);
    sink.u64(indexes[name].count);
  }
  const { length } = sink;
  const checksum = crc32(sink.bytes.subarray(0, length));
  for (const field of [length, checksum, CACHE_VERSION, pageCount]) sink.u32(field);
  sink.raw(MAGIC);
  return sink.bytes.slice(0, sink.length);
}

/** Reads the footer and the number of pages. Throws a MinidumpError `bad-cache` if it is damaged or has another version. */
export function readFooter(reader: RangeReader): { footer: Footer; pageCount: number } {
  const size = Math.min(reader.size, FIRST_READ);
  if (size < TAIL_SIZE) throw damaged('it is too short');
  const end = asBuffer(reader.read(reader.size - size, size));
  const tail = end.subarray(size - TAIL_SIZE);
  if (!tail.subarray(16).equals(MAGIC)) throw damaged('its end is missing');
  const [length, checksum, version, pageCount] = [0, 4, 8, 12].map((at) => tail.readUInt32LE(at)) as Numbers;
  if (version !== CACHE_VERSION) throw damaged(`its version is ${version} instead of ${CACHE_VERSION}`);
  if (pageCount * PAGE_SIZE + length + TAIL_SIZE !== reader.size) throw damaged('its size is wrong');
  const body =
    length + TAIL_SIZE <= size
      ? end.subarray(size - TAIL_SIZE - length, size - TAIL_SIZE)
      : asBuffer(reader.read(pageCount * PAGE_SIZE, length));
  if (crc32(body) !== checksum) throw damaged('the checksum of its footer is wrong');
  return { footer: decodeFooter(new FooterCursor(body), pageCount), pageCount };
}

type Numbers = [length: number, checksum: number, version: number, pageCount: number];

function decodeFooter(cursor: FooterCursor, pageCount: number): Footer {
  const module = { os: cursor.text(), cpu: cursor.text(), debugId: cursor.text(), name: cursor.text() };
  const [sourceSize, sourceTime] = [cursor.u64(), cursor.u64()];
  const extents = INDEX_NAMES.map((name) => {
    const extent = { position: cursor.u64(), count: cursor.u64() };
    if (!isInside(extent, pageCount * PAGE_DATA_SIZE)) throw damaged(`the index ${name} is outside the file`);
    return [name, extent];
  });
  return { module, sourceSize, sourceTime, indexes: Object.fromEntries(extents) as Footer['indexes'] };
}

/** Reads the body of the footer, which is not divided into pages. */
class FooterCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  u64(): number {
    const value = this.#bytes.readBigUInt64LE(this.#take(8));
    if (value > Number.MAX_SAFE_INTEGER) throw damaged('a number is too large');
    return Number(value);
  }

  text(): string {
    const length = this.#bytes.readUInt32LE(this.#take(4));
    const start = this.#take(length);
    return this.#bytes.toString('utf8', start, this.#at);
  }

  #take(count: number): number {
    const at = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) throw damaged('its footer is cut off');
    return at;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
