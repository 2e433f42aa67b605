// Call frame information: .eh_frame and .debug_frame (DWARF 5, section 6.4; Linux Standard Base 5.0, chapter 10.6).
import type { ByteSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import type { FrameModule } from './frame-module.ts';
import { FrameRules } from './frame-rules.ts';

export type FrameSection = {
  readonly source: ByteSource;
  /** The address of the section, from which pointers in .eh_frame count. */
  readonly address: number;
  readonly isEhFrame: boolean;
};

/** A common information entry: what several functions share. */
type Common = {
  readonly codeFactor: number;
  readonly dataFactor: number;
  readonly returnRegister: number;
  readonly hasAugmentation: boolean;
  readonly pointerEncoding: number;
  readonly addressSize: number;
  readonly segmentSize: number;
  readonly instructions: Cursor;
};

const ENCODING = { pcRelative: 0x10, none: 0xff } as const;
/** An entry describes one function. Larger ones are damaged. */
const MAX_ENTRY = 16 * 1024 * 1024;
const BLOCK = 1024 * 1024;

/** Sends the rules of all functions in the section to the sink. Entries after damage are not read. */
export function readCallFrames(section: FrameSection, module: FrameModule): void {
  const commons = new Map<number, Common | undefined>();
  try {
    for (const entry of entriesOf(section, module)) {
      if (entry.common === undefined) continue;
      let common = commons.get(entry.common);
      if (common === undefined && !commons.has(entry.common)) {
        common = readCommon(section, entry.common, module);
        commons.set(entry.common, common);
      }
      if (common !== undefined) readEntry(entry, common, section, module);
    }
  } catch (error) {
    if (!(error instanceof DebugSymbolsError)) throw error;
  }
}

type Entry = {
  /** The content after the pointer to the common entry. */
  readonly cursor: Cursor;
  /** The position of the first content byte in the section. */
  readonly at: number;
  /** The position of the common entry; undefined if this is one itself. */
  readonly common: number | undefined;
  readonly is64: boolean;
};

/** Reads the section in blocks, so that its size needs no memory. */
function* entriesOf({ source, isEhFrame }: FrameSection, module: FrameModule): Generator<Entry> {
  let block: Uint8Array = new Uint8Array();
  let blockAt = 0;
  const bytesAt = (at: number, length: number): Uint8Array => {
    if (at < blockAt || at + length > blockAt + block.length) {
      block = source.read(at, Math.min(Math.max(BLOCK, length), source.size - at));
      blockAt = at;
    }
    if (at + length > blockAt + block.length) throw new DebugSymbolsError('truncated', 'a frame entry is cut off');
    return block.subarray(at - blockAt, at - blockAt + length);
  };
  for (let at = 0; at + 4 <= source.size; ) {
    let length = new Cursor(bytesAt(at, 4), module.littleEndian).u32();
    at += 4;
    if (length === 0) {
      // The end of one object's entries. Linkers leave such marks between them.
      continue;
    }
    const is64 = length === 0xffff_ffff;
    if (is64) {
      length = new Cursor(bytesAt(at, 8), module.littleEndian).u64();
      at += 8;
    }
    if (length > MAX_ENTRY) throw new DebugSymbolsError('malformed', 'a frame entry is too large');
    const cursor = new Cursor(bytesAt(at, length), module.littleEndian);
    const wide = is64 && !isEhFrame;
    if (cursor.left < (wide ? 8 : 4)) return;
    const id = cursor.word(wide);
    const isCommon = isEhFrame ? id === 0 : wide ? id >= 2 ** 64 : id === 0xffff_ffff;
    const common = isCommon ? undefined : isEhFrame ? at - id : id;
    yield { cursor, at: at + cursor.at, common, is64 };
    at += length;
  }
}

/** Undefined for an entry that is damaged or not understood. */
function readCommon({ source, isEhFrame }: FrameSection, at: number, module: FrameModule): Common | undefined {
  if (at < 0 || at + 12 > source.size) return undefined;
  const start = new Cursor(source.read(at, 12), module.littleEndian);
  let length = start.u32();
  const is64 = length === 0xffff_ffff;
  if (is64) length = start.u64();
  const contentAt = at + start.at;
  if (length > MAX_ENTRY || contentAt + length > source.size) return undefined;
  const cursor = new Cursor(source.read(contentAt, length), module.littleEndian);
  cursor.skip(is64 && !isEhFrame ? 8 : 4);
  const version = cursor.u8();
  if (version !== 1 && version !== 3 && version !== 4) return undefined;
  const augmentation = cursor.text();
  let { addressSize } = module;
  let segmentSize = 0;
  if (version === 4) [addressSize, segmentSize] = [cursor.u8(), cursor.u8()];
  if (addressSize !== 4 && addressSize !== 8) return undefined;
  // A mark of very old compilers.
  if (augmentation === 'eh') cursor.skip(addressSize);
  const codeFactor = cursor.uleb();
  const dataFactor = cursor.sleb();
  const returnRegister = version === 1 ? cursor.u8() : cursor.uleb();
  let pointerEncoding = 0;
  const hasAugmentation = augmentation.startsWith('z');
  if (hasAugmentation) {
    const size = cursor.uleb();
    const end = cursor.at + size;
    for (const letter of augmentation.slice(1)) {
      if (letter === 'R') pointerEncoding = cursor.u8();
      else if (letter === 'L') cursor.u8();
      else if (letter === 'P') readPointer(cursor, cursor.u8(), 0, addressSize);
      else if (letter !== 'S' && letter !== 'B' && letter !== 'G') break;
    }
    cursor.at = end;
  } else if (augmentation !== '' && augmentation !== 'eh') {
    return undefined;
  }
  return {
    ...{ codeFactor, dataFactor, returnRegister, hasAugmentation, pointerEncoding, addressSize, segmentSize },
    instructions: cursor,
  };
}

function readEntry(entry: Entry, common: Common, section: FrameSection, module: FrameModule): void {
  const { cursor } = entry;
  const { pointerEncoding, addressSize } = common;
  const here = () => section.address + entry.at + cursor.at - firstAt;
  const firstAt = cursor.at;
  cursor.skip(common.segmentSize);
  const start = section.isEhFrame
    ? readPointer(cursor, pointerEncoding, here(), addressSize)
    : cursor.word(addressSize === 8);
  const size = section.isEhFrame
    ? readPointer(cursor, pointerEncoding & 0x0f, 0, addressSize)
    : cursor.word(addressSize === 8);
  if (common.hasAugmentation) cursor.skip(cursor.uleb());
  if (!(size > 0) || !module.isCode(start)) return;
  const rules = new FrameRules(common, module, start);
  const { bytes, littleEndian, at, end } = common.instructions;
  rules.run(new Cursor(bytes, littleEndian, at, end));
  rules.endCommon();
  rules.run(cursor);
  rules.send(start, size);
}

/** A pointer in one of the encodings of .eh_frame. */
export function readPointer(cursor: Cursor, encoding: number, here: number, addressSize: number): number {
  if (encoding === ENCODING.none) return 0;
  const value = readEncoded(cursor, encoding & 0x0f, addressSize);
  const address = (encoding & 0x70) === ENCODING.pcRelative ? here + value : value;
  return addressSize === 4 ? address >>> 0 : address;
}

function readEncoded(cursor: Cursor, format: number, addressSize: number): number {
  switch (format) {
    case 0x00:
      return cursor.word(addressSize === 8);
    case 0x01:
      return cursor.uleb();
    case 0x02:
      return cursor.u16();
    case 0x03:
      return cursor.u32();
    case 0x04:
      return cursor.u64();
    case 0x09:
      return cursor.sleb();
    case 0x0a:
      return cursor.i16();
    case 0x0b:
      return cursor.i32();
    case 0x0c:
      return cursor.i64();
    default:
      throw new DebugSymbolsError('malformed', `pointers with the encoding ${format} are unknown`);
  }
}
