// The kinds of records in a symbol file: the word that each starts with, and how to read it.
import { NO_NAME } from '../cache/pages.ts';
import type { RangeRows } from '../cache/range-rows.ts';
import { type Fields, HEX_DIGITS, MAX_NUMBER, MAX_OFFSET } from './fields.ts';
import type { CompileTarget } from './target.ts';

/** Reads a record, after its first word, into the cache. Returns what is wrong if the record is damaged and skipped. */
type ReadRecord = (fields: Fields, target: CompileTarget) => string | undefined;

export type RecordKind = { readonly start: Uint8Array; readonly read: ReadRecord };

const MULTIPLE = Buffer.from('m');
const INIT = Buffer.from('INIT');
const NO_NAME_BYTES = Buffer.from(NO_NAME);
/** Types of STACK WIN records: the PDB's FPO_DATA and its frame data. */
const FPO = 0;
const FRAME_DATA = 4;

const BAD_NUMBER = 'a number is missing or too large';

// A small file is compiled before V8 has optimized this code. Therefore nothing here creates objects for each record.

/** The most frequent kinds come first. */
export const RECORD_KINDS: readonly RecordKind[] = [
  { start: Buffer.from('STACK CFI '), read: readCfi },
  { start: Buffer.from('INLINE '), read: readInline },
  { start: Buffer.from('FUNC '), read: readFunction },
  { start: Buffer.from('INLINE_ORIGIN '), read: readInlineOrigin },
  { start: Buffer.from('PUBLIC '), read: readPublic },
  { start: Buffer.from('FILE '), read: readFile },
  { start: Buffer.from('STACK WIN '), read: readStackWin },
  // Its content (the code id, the writer of the file) is not needed.
  { start: Buffer.from('INFO '), read: () => undefined },
  { start: Buffer.from('MODULE '), read: () => 'a second MODULE' },
];

/** Reads `<offset> <size> <line> <file>`, which has no first word, for lines that `readLineRun` does not support. */
export function readLine(fields: Fields, { function: open }: CompileTarget): string | undefined {
  const start = fields.hex();
  const size = fields.hex();
  const line = fields.decimal();
  const file = fields.decimal();
  if (start < 0 || size < 0 || line < 0 || file < 0) return BAD_NUMBER;
  if (!open.isOpen) return 'a line without a function';
  return open.addLine(start, size, line, file) ? undefined : 'too many lines in one function';
}

/** Reads `FUNC [m] <offset> <size> <parameter size> <name>`. */
function readFunction(fields: Fields, { function: open, texts }: CompileTarget): string | undefined {
  // Even if this record is damaged, the lines that follow do not belong to the previous function.
  open.close();
  fields.take(MULTIPLE);
  const start = fields.hex();
  const size = fields.hex();
  const parameterSize = fields.hex(MAX_NUMBER);
  if (start < 0 || size < 0 || parameterSize < 0) return BAD_NUMBER;
  open.open(start, size, parameterSize, writeName(fields, texts));
  return undefined;
}

/** Reads `PUBLIC [m] <offset> <parameter size> <name>`. */
function readPublic(fields: Fields, { function: open, texts, pages, indexes }: CompileTarget): string | undefined {
  open.close();
  fields.take(MULTIPLE);
  const offset = fields.hex();
  const parameterSize = fields.hex(MAX_NUMBER);
  if (offset < 0 || parameterSize < 0) return BAD_NUMBER;
  // ntdll's PDB has some symbols (_CIlog, _CIpow) at 0. They would cover everything below the first real symbol.
  if (offset === 0) return undefined;
  const name = writeName(fields, texts);
  indexes.publics.add(offset, 0, pages.appendRecord([parameterSize, pages.position - name]));
  return undefined;
}

/** Reads `FILE <id> <name>`. */
function readFile(fields: Fields, { texts, indexes }: CompileTarget): string | undefined {
  const id = fields.decimal();
  if (id < 0) return BAD_NUMBER;
  indexes.files.add(id, 0, writeName(fields, texts));
  return undefined;
}

/** Reads `INLINE_ORIGIN <id> <name>`, or until 2021 `INLINE_ORIGIN <id> <file> <name>`, where -1 is an unknown file. */
function readInlineOrigin(fields: Fields, { texts, indexes }: CompileTarget): string | undefined {
  const id = fields.decimal();
  if (id < 0) return BAD_NUMBER;
  const nameAt = fields.at;
  // A name does not start with a separate number, so a number is the id of a file.
  const hasFile = fields.takeMinusOne() || fields.decimal() >= 0;
  if (!hasFile || fields.atEnd()) fields.at = nameAt;
  indexes.inlineOrigins.add(id, 0, writeName(fields, texts));
  return undefined;
}

/** Reads `INLINE <depth> <call line> <call file> <origin> [<offset> <size>]+`, or until 2021 the same without the file. */
function readInline(fields: Fields, { function: open }: CompileTarget): string | undefined {
  // Only the number of fields distinguishes the two forms: an odd number, as in `INLINE 0 42 1 15b45 6b1`, has no file.
  const hasFile = fields.countWords() % 2 === 0;
  const depth = fields.decimal();
  const line = fields.decimal();
  const file = hasFile && !fields.takeMinusOne() ? fields.decimal() : undefined;
  const origin = fields.decimal();
  if (depth < 0 || line < 0 || origin < 0 || (file !== undefined && file < 0)) return BAD_NUMBER;
  if (!open.isOpen) return 'an inlined call without a function';
  if (fields.atEnd()) return 'an inlined call without a range';
  while (!fields.atEnd()) {
    const start = fields.hex();
    const size = fields.hex();
    if (start < 0 || size < 0) return BAD_NUMBER;
    if (size > 0 && !open.addInline({ depth, line, file, origin }, start, size)) return 'too many inlined calls';
  }
  return undefined;
}

/** Reads `STACK CFI INIT <offset> <size> <rules>` and, for changes within that range, `STACK CFI <offset> <rules>`. */
function readCfi(fields: Fields, { cfi, texts }: CompileTarget): string | undefined {
  const isInit = fields.take(INIT);
  if (isInit) cfi.close();
  const start = fields.hex();
  const size = isInit ? fields.hex() : 0;
  if (start < 0 || size < 0) return BAD_NUMBER;
  if (fields.atEnd()) return 'no rules';
  if (!isInit && !cfi.isOpen) return 'rules without an INIT';
  if (!isInit && start < cfi.start) return 'rules for an offset before their INIT';
  const rules = texts.share(fields.bytes, fields.at, fields.end);
  if (isInit) cfi.open(start, size, rules);
  else if (!cfi.add(start, rules)) return 'too many rules in one range';
  return undefined;
}

/**
 * Reads `STACK WIN <type> <offset> <code size> <prolog size> <epilog size> <parameter size> <saved register size>
 * <local size> <max stack size> <has program> <program, or whether EBP is used for something else>`.
 */
function readStackWin(fields: Fields, { texts, pages, indexes }: CompileTarget): string | undefined {
  const [type, start, size] = [fields.hex(), fields.hex(), fields.hex()];
  const sizes = Array.from({ length: 6 }, () => fields.hex(MAX_NUMBER));
  const hasProgram = fields.decimal();
  if (type < 0 || start < 0 || size < 0 || sizes.some((value) => value < 0) || hasProgram < 0) return BAD_NUMBER;
  // Other types contain no unwind rules.
  if ((type !== FPO && type !== FRAME_DATA) || size === 0) return undefined;
  // In `STACK WIN 0 1000 30 0 0 0 0 0 0 1 1`, either the type or the program flag is wrong, and it is unclear which.
  if (type === FPO && hasProgram > 0) return 'a record of type 0 with a program';
  if (fields.atEnd()) return 'the last field is missing';
  const program = hasProgram > 0 ? texts.share(fields.bytes, fields.at, fields.end) : undefined;
  const usesBasePointer = program === undefined && fields.decimal() > 0;
  const last = program === undefined ? [0, usesBasePointer ? 1 : 0] : [1, pages.position - program];
  const position = pages.appendRecord([start, size, ...sizes, ...last]);
  (type === FPO ? indexes.fpo : indexes.frameData).add(start, size, position);
  return undefined;
}

/** Writes the rest of the line as a name. Returns its position. */
function writeName(fields: Fields, texts: CompileTarget['texts']): number {
  if (fields.atEnd()) return texts.share(NO_NAME_BYTES, 0, NO_NAME_BYTES.length);
  return texts.write(fields.bytes, fields.at, fields.end);
}

// Line records make up most of a symbol file, so runs of them are read in a tight loop over the bytes.

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
