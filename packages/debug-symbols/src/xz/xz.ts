// Unpacks .xz files (version 1.2 of their specification) piece by piece: streams of blocks that are compressed with
// LZMA2. Filters for machine code, which `xz` uses only if it is asked to, are not supported.
import { crc32 } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { type Checksum, checksumOf } from './checksum.ts';
import { damaged } from './damaged.ts';
import { LzmaDecoder } from './lzma.ts';
import { Window } from './window.ts';

const MARK = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const HEADER_BYTES = 12;
const LZMA2 = 0x21;
/** That of `xz -9`. The format allows 4 GiB. */
const MAX_WINDOW = 64 * 1024 * 1024;

export function isXz(start: Uint8Array): boolean {
  return start.length >= MARK.length && MARK.every((byte, index) => start[index] === byte);
}

/**
 * Yields the content in pieces of at most 2 MiB, of which the caller limits the sum. Throws a DebugSymbolsError for
 * damage, which can come after some of the content.
 */
export function* unpackXz(source: ByteSource): Generator<Uint8Array, undefined> {
  const input = new Input(source);
  if (!isXz(input.peek(MARK.length))) throw new DebugSymbolsError('malformed', 'this is no .xz file');
  while (input.left > 0) {
    yield* unpackStream(input);
    while (input.left > 0 && input.peek(1)[0] === 0) {
      if (input.take(4).some((byte) => byte !== 0)) throw damaged();
    }
  }
}

/** One after another. Bytes are read in larger pieces. */
class Input {
  readonly #source: ByteSource;
  #bytes: Uint8Array = new Uint8Array();
  /** Where `#bytes` starts. */
  #start = 0;
  at = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get left(): number {
    return this.#source.size - this.at;
  }

  peek(length: number): Uint8Array {
    if (length > this.left) throw new DebugSymbolsError('truncated', 'compressed data is cut off');
    if (this.at + length > this.#start + this.#bytes.length) {
      this.#start = this.at;
      this.#bytes = this.#source.read(this.at, Math.min(Math.max(length, READ_BYTES), this.left));
    }
    return this.#bytes.subarray(this.at - this.#start, this.at - this.#start + length);
  }

  take(length: number): Uint8Array {
    const bytes = this.peek(length);
    this.at += length;
    return bytes;
  }

  u8(): number {
    return this.take(1)[0]!;
  }
}

const READ_BYTES = 256 * 1024;

type Sizes = { readonly packed: number; readonly unpacked: number };

function* unpackStream(input: Input): Generator<Uint8Array, undefined> {
  const header = Uint8Array.from(input.take(HEADER_BYTES));
  if (!isXz(header)) throw damaged();
  const flags = header.subarray(6, 8);
  requireCrc(flags, header.subarray(8));
  const kind = flags[1]!;
  if (flags[0] !== 0 || kind > 15) throw damaged();
  const blocks: Sizes[] = [];
  while (input.peek(1)[0] !== 0) blocks.push(yield* unpackBlock(input, kind));
  const indexSize = readIndex(input, blocks);
  const footer = input.take(HEADER_BYTES);
  requireCrc(footer.subarray(4, 10), footer);
  const backwards = (new Cursor(footer, true, 4).u32() + 1) * 4;
  if (backwards !== indexSize || footer[8] !== 0 || footer[9] !== kind || footer[10] !== 0x59 || footer[11] !== 0x5a)
    throw damaged();
}

function* unpackBlock(input: Input, checksumKind: number): Generator<Uint8Array, Sizes> {
  const start = input.at;
  const { window: size, packed, unpacked } = readBlockHeader(input);
  const dataAt = input.at;
  const checksum = checksumOf(checksumKind);
  let total = 0;
  for (const piece of unpackLzma2(input, size)) {
    total += piece.length;
    checksum.update(piece);
    yield piece;
  }
  const packedSize = input.at - dataAt;
  if ((packed ?? packedSize) !== packedSize || (unpacked ?? total) !== total) throw damaged();
  for (let padding = -packedSize & 3; padding > 0; padding -= 1) if (input.u8() !== 0) throw damaged();
  requireChecksum(checksum, input);
  return { packed: dataAt - start + packedSize + checksum.size, unpacked: total };
}

function requireChecksum(checksum: Checksum, input: Input): void {
  const stored = input.take(checksum.size);
  const computed = checksum.digest();
  if (computed !== undefined && Buffer.compare(computed, stored) !== 0)
    throw new DebugSymbolsError('malformed', 'the checksum of compressed data is wrong');
}

function readBlockHeader(input: Input) {
  const size = (input.peek(1)[0]! + 1) * 4;
  const header = input.take(size);
  requireCrc(header.subarray(0, size - 4), header.subarray(size - 4));
  const cursor = new Cursor(header, true, 1, size - 4);
  const flags = cursor.u8();
  if ((flags & 0x3c) !== 0) throw damaged();
  const packed = (flags & 0x40) === 0 ? undefined : cursor.uleb();
  const unpacked = (flags & 0x80) === 0 ? undefined : cursor.uleb();
  if ((flags & 3) !== 0 || cursor.uleb() !== LZMA2)
    throw new DebugSymbolsError('unsupported', 'the .xz file uses filters for machine code, which are not supported');
  if (cursor.uleb() !== 1) throw damaged();
  const bits = cursor.u8();
  if (bits > 40) throw damaged();
  if (cursor.take(cursor.left).some((byte) => byte !== 0)) throw damaged();
  const window = bits === 40 ? 0xffff_ffff : (2 | (bits & 1)) * 2 ** ((bits >> 1) + 11);
  if (window > MAX_WINDOW)
    throw new DebugSymbolsError('too-large', `to unpack it takes ${window / 2 ** 20} MiB of memory; use at most xz -9`);
  return { window, packed, unpacked };
}

/** Compares the index with the blocks that were read, and returns its size. */
function readIndex(input: Input, blocks: readonly Sizes[]): number {
  const start = input.at;
  const index = new IndexReader(input);
  index.byte();
  if (index.number() !== blocks.length) throw damaged();
  for (const { packed, unpacked } of blocks)
    if (index.number() !== packed || index.number() !== unpacked) throw damaged();
  while ((input.at - start) % 4 !== 0) if (index.byte() !== 0) throw damaged();
  if (new Cursor(input.take(4)).u32() !== index.crc) throw damaged();
  return input.at - start;
}

class IndexReader {
  readonly #input: Input;
  crc = 0;

  constructor(input: Input) {
    this.#input = input;
  }

  byte(): number {
    const bytes = this.#input.take(1);
    this.crc = crc32(bytes, this.crc);
    return bytes[0]!;
  }

  number(): number {
    let [value, scale] = [0, 1];
    for (let length = 0; length < 9; length += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw damaged();
  }
}

function requireCrc(bytes: Uint8Array, stored: Uint8Array): void {
  if (crc32(bytes) !== new Cursor(stored).u32()) throw damaged();
}

const END = 0;
const STORED_WITH_RESET = 1;
const STORED = 2;
const COMPRESSED = 0x80;
/** Kinds of compressed chunks: from each on, more is reset. */
const RESETS = { state: 0xa0, properties: 0xc0, window: 0xe0 } as const;

function* unpackLzma2(input: Input, windowSize: number): Generator<Uint8Array, undefined> {
  const window = new Window(windowSize);
  const decoder = new LzmaDecoder(window);
  let isReady = { window: false, properties: false };
  for (let control = input.u8(); control !== END; control = input.u8()) {
    const isCompressed = control >= COMPRESSED;
    if (!isCompressed && control > STORED) throw damaged();
    if (control === STORED_WITH_RESET || control >= RESETS.window) {
      window.reset();
      isReady = { window: true, properties: isReady.properties };
    }
    if (!isReady.window) throw damaged();
    const size = (isCompressed ? (control & 0x1f) << 16 : 0) + u16(input) + 1;
    window.reserve(size);
    if (!isCompressed) window.append(input.take(size));
    else {
      const packedSize = u16(input) + 1;
      if (control >= RESETS.properties) {
        decoder.setProperties(input.u8());
        isReady.properties = true;
      } else if (!isReady.properties) throw damaged();
      else if (control >= RESETS.state) decoder.resetState();
      decoder.decode(input.take(packedSize), size);
    }
    yield window.last(size);
  }
}

function u16(input: Input): number {
  const bytes = input.take(2);
  return (bytes[0]! << 8) | bytes[1]!;
}
