// The ranges of addresses of an entry: .debug_ranges before DWARF 5, and .debug_rnglists (DWARF 5, section 2.17.3).
import { Cursor } from '../cursor.ts';
import { FORM } from './constants.ts';
import type { ReadList } from './dwarf-file.ts';
import type { Unit } from './unit.ts';

const LIST = {
  end: 0,
  baseAddressx: 1,
  startxEndx: 2,
  startxLength: 3,
  offsetPair: 4,
  baseAddress: 5,
  startEnd: 6,
  startLength: 7,
} as const;

/** An entry has few ranges. More are cut off, so that a damaged file ends. */
const MAX_RANGES = 1_000_000;

/**
 * Pairs of a start and an end, in the order of the list. Addresses that can't be read are NaN, and end the list. `form`
 * distinguishes an index from an offset.
 */
export function readRanges(unit: Unit, value: number, form: number): number[] {
  const { version } = unit.header.encoding;
  const ranges = version >= 5 ? readRangeList(unit, value, form) : readOldRanges(unit, value);
  const kept: number[] = [];
  for (let index = 0; index + 1 < ranges.length; index += 2)
    if (ranges[index + 1]! > ranges[index]!) kept.push(ranges[index]!, ranges[index + 1]!);
  return kept;
}

function readOldRanges(unit: Unit, offset: number): number[] {
  const { addressSize } = unit.header.encoding;
  const is64 = addressSize === 8;
  const baseMark = is64 ? 2 ** 64 : 2 ** 32 - 1;
  return (unit.skeleton ?? unit).file.readList('ranges', unit.rangesBase + offset, (cursor) => {
    const ranges: number[] = [];
    let base = unit.lowPc;
    while (cursor.left >= 2 * addressSize && ranges.length < MAX_RANGES) {
      const [start, end] = [cursor.word(is64), cursor.word(is64)];
      if (start === 0 && end === 0) return ranges;
      if (start >= baseMark) base = end;
      else ranges.push(base + start, base + end);
    }
    return ranges.length < MAX_RANGES ? { cut: ranges } : ranges;
  });
}

function readRangeList(unit: Unit, value: number, form: number): number[] {
  const { is64, addressSize } = unit.header.encoding;
  const section = unit.file.section('rnglists');
  let at = (unit.contributions.rangeLists ?? 0) + value;
  if (form === FORM.rnglistx) {
    const size = is64 ? 8 : 4;
    const entry = unit.rangeListsBase + value * size;
    if (entry + size > section.size) return [];
    at = unit.rangeListsBase + new Cursor(section.read(entry, size), unit.file.littleEndian).word(is64);
  }
  return unit.file.readList('rnglists', at, (cursor) => runRangeList(unit, cursor, addressSize === 8));
}

function runRangeList(unit: Unit, cursor: Cursor, isWide: boolean): ReadList<number[]> {
  const ranges: number[] = [];
  let base = unit.lowPc;
  while (cursor.left > 0 && ranges.length < MAX_RANGES) {
    switch (cursor.u8()) {
      case LIST.baseAddressx:
        base = unit.addressAt(cursor.uleb());
        break;
      case LIST.startxEndx:
        ranges.push(unit.addressAt(cursor.uleb()), unit.addressAt(cursor.uleb()));
        break;
      case LIST.startxLength: {
        const start = unit.addressAt(cursor.uleb());
        ranges.push(start, start + cursor.uleb());
        break;
      }
      case LIST.offsetPair:
        ranges.push(base + cursor.uleb(), base + cursor.uleb());
        break;
      case LIST.baseAddress:
        base = cursor.word(isWide);
        break;
      case LIST.startEnd:
        ranges.push(cursor.word(isWide), cursor.word(isWide));
        break;
      case LIST.startLength: {
        const start = cursor.word(isWide);
        ranges.push(start, start + cursor.uleb());
        break;
      }
      default:
        // LIST.end, or a damaged list.
        return ranges;
    }
  }
  return ranges.length < MAX_RANGES ? { cut: ranges } : ranges;
}
