// Headers of units in .debug_info (DWARF 5, section 7.5.1).
import { Cursor } from '../cursor.ts';
import type { Encoding } from './abbreviations.ts';

export type UnitHeader = {
  /** The position of the header in the section. */
  readonly offset: number;
  /** The position after the unit. */
  readonly end: number;
  /** The position of the first entry. */
  readonly firstEntry: number;
  readonly abbreviationsAt: number;
  readonly encoding: Encoding;
  readonly isType: boolean;
  /** What connects a skeleton with its split unit; undefined if the unit has none, or not in its header. */
  readonly dwoId: bigint | undefined;
};

const UNIT = { type: 2, skeleton: 4, splitCompile: 5, splitType: 6 } as const;

/** Undefined if the header is damaged, or of a version that isn't known. `start` has the bytes from `offset`. */
export function readUnitHeader(
  start: Uint8Array,
  offset: number,
  littleEndian: boolean,
  sectionSize: number,
): UnitHeader | undefined {
  const cursor = new Cursor(start, littleEndian);
  let length = cursor.u32();
  const is64 = length === 0xffff_ffff;
  if (is64) length = cursor.u64();
  const end = offset + cursor.at + length;
  if (end > sectionSize || length < 7) return undefined;
  cursor.end = Math.min(cursor.end, end - offset);
  const version = cursor.u16();
  if (version < 2 || version > 5) return undefined;
  const kind = version === 5 ? cursor.u8() : 1;
  let addressSize = version === 5 ? cursor.u8() : 0;
  const abbreviationsAt = cursor.word(is64);
  if (version < 5) addressSize = cursor.u8();
  if (addressSize !== 4 && addressSize !== 8 && addressSize !== 2) return undefined;
  let dwoId: bigint | undefined;
  if (kind === UNIT.skeleton || kind === UNIT.splitCompile) {
    if (cursor.left < 8) return undefined;
    const [low, high] = [cursor.u32(), cursor.u32()];
    dwoId = littleEndian ? BigInt(low) | (BigInt(high) << 32n) : BigInt(high) | (BigInt(low) << 32n);
  }
  const isType = kind === UNIT.type || kind === UNIT.splitType;
  if (isType) cursor.skip(is64 ? 16 : 12);
  return {
    offset,
    end,
    firstEntry: offset + cursor.at,
    abbreviationsAt,
    encoding: { version, addressSize, is64 },
    isType,
    dwoId,
  };
}
