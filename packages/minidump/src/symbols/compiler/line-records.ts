// Reads runs of line records, which make up most of a symbol file, in a tight loop over the bytes.
import type { RangeRows } from '../cache/range-rows.ts';
import { HEX_DIGITS, MAX_NUMBER, MAX_OFFSET } from './fields.ts';

const SPACE = 0x20;
const LINE_FEED = 0x0a;

/** The position after a run, and its number of records. */
type LineRun = { at: number; count: number };

/**
 * Reads line records from `run.at` and adds them to `lines`, as long as `lines` has free rows. Only supports the form
 * that every writer uses: `<offset> <size> <line> <file>`, with single spaces and a line feed. Stops before the first
 * other line, which the compiler then handles. The bytes must end with a line feed.
 */
export function readLineRun(bytes: Uint8Array, end: number, lines: RangeRows, run: LineRun): void {
  const digits = HEX_DIGITS;
  const [lineNumbers, files] = lines.columns as [Uint32Array, Uint32Array];
  const free = lines.starts.length - lines.count;
  let at = run.at;
  let count = 0;
  for (; count < free && run.at < end; count++) {
    let start = 0;
    let digit = digits[bytes[at]!]!;
    if (digit > 15) break;
    for (; digit <= 15; digit = digits[bytes[++at]!]!) start = start * 16 + digit;
    if (bytes[at++] !== SPACE) break;

    let size = 0;
    digit = digits[bytes[at]!]!;
    if (digit > 15) break;
    for (; digit <= 15; digit = digits[bytes[++at]!]!) size = size * 16 + digit;
    if (bytes[at++] !== SPACE) break;

    let line = 0;
    digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) break;
    for (; digit >= 0 && digit <= 9; digit = bytes[++at]! - 0x30) line = line * 10 + digit;
    if (bytes[at++] !== SPACE) break;

    let file = 0;
    digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) break;
    for (; digit >= 0 && digit <= 9; digit = bytes[++at]! - 0x30) file = file * 10 + digit;
    if (bytes[at++] !== LINE_FEED) break;

    if (start >= MAX_OFFSET || size >= MAX_OFFSET || line >= MAX_NUMBER || file >= MAX_NUMBER) break;
    run.at = at;
    // Symbols from a PDB have many empty records, which cover no addresses.
    if (size === 0) continue;
    const row = lines.add(start, size);
    lineNumbers[row] = line;
    files[row] = file;
  }
  run.count = count;
}
