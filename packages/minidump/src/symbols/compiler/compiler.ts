// Compiles a Breakpad symbol file (text) into a symbol cache, in which lookups only read a few pages.
import { MinidumpError } from '../../error.ts';
import { encodeFooter } from '../cache/footer.ts';
import type { CacheOutput } from '../cache/page-writer.ts';
import { type ModuleLine, readModuleLine } from '../module-line.ts';
import { Fields, HEX_DIGITS, Problems, type SymbolProblem, startsWith } from './fields.ts';
import { RECORD_KINDS, type RecordKind, readLine, readLineRun } from './records.ts';
import { CompileTarget } from './target.ts';

/** The size of the text buffer, in bytes, and so the longest line. The longest names in real files have 82 KB. */
const WINDOW = 1 << 18;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const UNDERSCORE = 0x5f;

type SymbolCompilerOptions = {
  /** When the text was last changed, in microseconds since 1970. Stored in the cache, to detect that it is outdated. */
  readonly sourceTime?: number;
};

/**
 * Reads the text in chunks of any size and writes the cache as it goes. Only the indexes are kept in memory: 24 bytes for
 * each FUNC, PUBLIC, FILE, INLINE_ORIGIN, STACK CFI INIT and STACK WIN. Throws a MinidumpError `bad-symbols` if the text
 * is not a symbol file: its first line is not a MODULE line, or none of the other lines is a record. Individual damaged
 * lines are skipped and listed in `problems`. Breakpad's symbol file documentation describes the format.
 */
export class SymbolCompiler {
  readonly #output: CacheOutput;
  readonly #sourceTime: number;
  readonly #target: CompileTarget;
  readonly #problems = new Problems();
  readonly #window = Buffer.allocUnsafeSlow(WINDOW);
  readonly #fields = new Fields();
  readonly #run = { at: 0, count: 0 };
  /** The number of lines with known records, even if they are damaged. */
  #recordCount = 0;
  #unknownCount = 0;
  #filled = 0;
  /** Whether the rest of a line that is too long is being skipped. */
  #skipping = false;
  #module: ModuleLine | undefined;
  /** The number of the next line, from 1. */
  #lineNumber = 1;
  #sourceSize = 0;

  constructor(output: CacheOutput, { sourceTime = 0 }: SymbolCompilerOptions = {}) {
    this.#output = output;
    this.#sourceTime = sourceTime;
    this.#target = new CompileTarget(output);
  }

  /** The first skipped lines. */
  get problems(): readonly SymbolProblem[] {
    return this.#problems.list;
  }

  /** The number of all skipped lines. */
  get problemCount(): number {
    return this.#problems.count;
  }

  /** The number of lines with unknown records, which later versions of the format may have. */
  get unknownCount(): number {
    return this.#unknownCount;
  }

  /** Reads the next chunk of the text. The chunk can be reused afterwards. */
  write(chunk: Uint8Array): void {
    this.#sourceSize += chunk.byteLength;
    let from = 0;
    while (from < chunk.byteLength) {
      const count = Math.min(chunk.byteLength - from, WINDOW - this.#filled);
      this.#window.set(chunk.subarray(from, from + count), this.#filled);
      from += count;
      this.#take(count);
    }
  }

  /** Ends the text and writes the rest of the cache. Returns the MODULE line. */
  finish(): ModuleLine {
    const sourceSize = this.#sourceSize;
    if (this.#filled > 0 || this.#skipping) this.write(Uint8Array.of(LINE_FEED));
    const module = this.#module ?? readModuleLine(new Uint8Array());
    const { indexes, pageCount } = this.#target.finish();
    if (this.#recordCount === 0 && this.#problems.count > 0) throw noRecords(this.#problems.list[0]!);
    const footer = { module, sourceSize, sourceTime: this.#sourceTime, indexes };
    this.#output.write(encodeFooter(footer, pageCount));
    return module;
  }

  /** Reads the lines that the last `count` bytes complete. */
  #take(count: number): void {
    const lastLineFeed = this.#window.subarray(this.#filled, this.#filled + count).lastIndexOf(LINE_FEED);
    const whole = lastLineFeed < 0 ? 0 : this.#filled + lastLineFeed + 1;
    this.#filled += count;
    if (whole > 0) this.#readLines(whole);
    if (whole > 0) this.#window.copyWithin(0, whole, this.#filled);
    this.#filled -= whole;
    if (this.#filled < WINDOW) return;
    // The window is full and contains no line end.
    if (this.#module === undefined) this.#module = readModuleLine(this.#window);
    if (!this.#skipping) this.#problems.add(this.#lineNumber, `longer than ${WINDOW} bytes`);
    this.#skipping = true;
    this.#filled = 0;
  }

  /** Reads the complete lines at the start of the window, up to `end`. */
  #readLines(end: number): void {
    const bytes = this.#window;
    let at = this.#skipping ? this.#skipLine() : 0;
    while (at < end) {
      if (this.#target.function.isOpen) at = this.#readLineRun(at, end);
      if (at === end) return;
      const lineFeed = bytes.indexOf(LINE_FEED, at);
      this.#readLine(at, lineFeed);
      at = lineFeed + 1;
      this.#lineNumber++;
    }
  }

  #readLineRun(from: number, end: number): number {
    const run = this.#run;
    run.at = from;
    readLineRun(this.#window, end, this.#target.function.lines, run);
    this.#lineNumber += run.count;
    this.#recordCount += run.count;
    return run.at;
  }

  /** Reads the line that ends before `lineFeed`. Lines can also end with CR LF or, from some writers, CR CR LF. */
  #readLine(from: number, lineFeed: number): void {
    let end = lineFeed;
    while (end > from && this.#window[end - 1] === CARRIAGE_RETURN) end--;
    if (this.#module === undefined) this.#module = readModuleLine(this.#window.subarray(from, end));
    else this.#readRecord(from, end);
  }

  #readRecord(from: number, end: number): void {
    const bytes = this.#window;
    const fields = this.#fields;
    fields.reset(bytes, from, end);
    if (fields.atEnd()) return;
    const kind = findKind(bytes, from);
    if (kind === undefined && beginsWithWord(bytes, from)) {
      this.#unknownCount++;
      return;
    }
    fields.at = from + (kind?.start.length ?? 0);
    const problem = (kind?.read ?? readLine)(fields, this.#target);
    if (problem !== undefined) this.#problems.add(this.#lineNumber, problem);
    if (problem === undefined || kind !== undefined) this.#recordCount++;
  }

  #skipLine(): number {
    this.#skipping = false;
    this.#lineNumber++;
    return this.#window.indexOf(LINE_FEED) + 1;
  }
}

function findKind(bytes: Uint8Array, at: number): RecordKind | undefined {
  for (let index = 0; index < RECORD_KINDS.length; index++)
    if (startsWith(bytes, at, RECORD_KINDS[index]!.start)) return RECORD_KINDS[index];
  return undefined;
}

/** Whether a line starts with an upper-case word, like a record, rather than with a hex number. */
function beginsWithWord(bytes: Uint8Array, at: number): boolean {
  for (let index = at; ; index++) {
    const byte = bytes[index]!;
    if (byte !== UNDERSCORE && (byte < CAPITAL_A || byte > CAPITAL_Z)) return false;
    if (HEX_DIGITS[byte]! > 15) return true;
  }
}

function noRecords({ line, text }: SymbolProblem): MinidumpError {
  return new MinidumpError('bad-symbols', `Line ${line}: ${text}; the file has no symbol records.`);
}
