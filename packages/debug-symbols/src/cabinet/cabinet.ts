// Unpacks the first file of a cabinet (Microsoft Cabinet Format, MS-CAB), in which symbol servers have compressed files
// such as `game.pd_`. Data that is stored or compressed with MSZIP is read.
import { inflateRawSync } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';

const MARK = 'MSCF';
const HEADER_BYTES = 36;
const FLAG = { previous: 1, next: 2, reserve: 4 } as const;
const METHOD = { stored: 0, mszip: 1 } as const;
const METHOD_NAMES: Readonly<Record<number, string>> = { 2: 'Quantum', 3: 'LZX' };
/** What a block of data unpacks to at most. */
const BLOCK_BYTES = 32_768;
const BLOCK_MARK = [0x43, 0x4b];

export function isCabinet(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, MARK.length)).toString('latin1') === MARK;
}

/**
 * Yields the content of the first file in pieces of at most 32 KiB, of which the caller limits the sum. Throws a
 * DebugSymbolsError for damage, which can come after some of the content.
 */
export function* unpackCabinet(source: ByteSource): Generator<Uint8Array, undefined> {
  const { dataAt, blocks, method, dataReserve, start, size } = readLayout(source);
  const unpack = UNPACKERS[method];
  if (unpack === undefined)
    throw new DebugSymbolsError(
      'unsupported',
      `cabinets with ${METHOD_NAMES[method] ?? 'unknown'} compression are not supported; use MSZIP (makecab /D CompressionType=MSZIP)`,
    );
  let [at, position, left] = [dataAt, 0, size];
  let before: Uint8Array = new Uint8Array();
  for (let block = 0; block < blocks && left > 0; block += 1) {
    const header = source.read(at, 8);
    const cursor = new Cursor(header);
    const [checksum, packedSize, unpackedSize] = [cursor.u32(), cursor.u16(), cursor.u16()];
    const packed = source.read(at + 8 + dataReserve, packedSize);
    if (checksum !== 0 && checksum !== checksumOf(header.subarray(4), checksumOf(packed, 0))) throw damaged();
    if (unpackedSize > BLOCK_BYTES) throw damaged();
    const bytes = unpack(packed, before);
    if (bytes.length !== unpackedSize) throw damaged();
    before = bytes;
    at += 8 + dataReserve + packedSize;
    const piece = bytes.subarray(Math.max(0, start - position), Math.max(0, start - position) + left);
    position += bytes.length;
    left -= piece.length;
    if (piece.length > 0) yield piece;
  }
  if (left > 0) throw damaged();
}

function readLayout(source: ByteSource) {
  const header = new Cursor(source.read(0, HEADER_BYTES), true, 16);
  if (!isCabinet(header.bytes)) throw new DebugSymbolsError('malformed', 'this is not a cabinet');
  const filesAt = header.u32();
  header.at = 26;
  const [folders, files, flags] = [header.u16(), header.u16(), header.u16()];
  if (folders === 0 || files === 0) throw new DebugSymbolsError('malformed', 'the cabinet is empty');
  if ((flags & (FLAG.previous | FLAG.next)) !== 0)
    throw new DebugSymbolsError('unsupported', 'the cabinet is a part of several, which are not supported');
  let [foldersAt, folderReserve, dataReserve] = [HEADER_BYTES, 0, 0];
  if ((flags & FLAG.reserve) !== 0) {
    const reserve = new Cursor(source.read(HEADER_BYTES, 4));
    foldersAt += 4 + reserve.u16();
    folderReserve = reserve.u8();
    dataReserve = reserve.u8();
  }
  const file = new Cursor(source.read(filesAt, 16));
  const [size, start, folder] = [file.u32(), file.u32(), file.u16()];
  if (folder >= folders) throw damaged();
  const cursor = new Cursor(source.read(foldersAt + folder * (8 + folderReserve), 8));
  const [dataAt, blocks, method] = [cursor.u32(), cursor.u16(), cursor.u16() & 0xf];
  if (start + size > blocks * BLOCK_BYTES) throw damaged();
  return { dataAt, blocks, method, dataReserve, start, size };
}

/** Unpacks a block; `before` is what the one before it unpacked to, from which it may copy. */
type Unpacker = (packed: Uint8Array, before: Uint8Array) => Uint8Array;

const UNPACKERS: Readonly<Record<number, Unpacker>> = {
  [METHOD.stored]: (packed) => packed,
  [METHOD.mszip](packed, before) {
    if (BLOCK_MARK.some((byte, index) => packed[index] !== byte)) throw damaged();
    try {
      const dictionary = before.length > 0 ? { dictionary: before } : {};
      return inflateRawSync(packed.subarray(BLOCK_MARK.length), { maxOutputLength: BLOCK_BYTES, ...dictionary });
    } catch (cause) {
      throw damaged(cause);
    }
  },
};

/** The exclusive or of numbers of 32 bits; the bytes after the last of them are in the opposite order. */
function checksumOf(bytes: Uint8Array, seed: number): number {
  const cursor = new Cursor(bytes);
  let value = seed;
  while (cursor.left >= 4) value ^= cursor.u32();
  let rest = 0;
  while (cursor.left > 0) rest = (rest << 8) | cursor.u8();
  return (value ^ rest) >>> 0;
}

function damaged(cause?: unknown): DebugSymbolsError {
  return new DebugSymbolsError('malformed', 'the cabinet is damaged', { cause });
}
