// Compiles a symbol file of Breakpad’s text format into a cache that is looked up without reading it whole.
import { MinidumpError } from '../../error.ts';
import { encodeFooter } from '../cache/footer.ts';
import type { CacheOutput } from '../cache/page-writer.ts';
import { type ModuleLine, readModuleLine } from '../module-line.ts';
import { Fields, HEX_DIGITS, startsWith } from './fields.ts';
import { readLineRun } from './line-records.ts';
import { Problems, type SymbolProblem } from './problems.ts';
import { RECORD_KINDS, readLine } from './records.ts';
import { CompileTarget } from './target.ts';

/** Bytes of text that are looked at together, and so the longest line. The longest names seen in real files have 82 KB. */
const WINDOW = 1 << 18;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const UNDERSCORE = 0x5f;

export type SymbolCompilerOptions = {
  /** When the text was last changed, in whole microseconds since 1970; kept in the cache, to see when it is stale. */
  readonly sourceTime?: number;
};

/**
 * Takes the text in pieces of any size, writes the cache as it goes, and holds little more than its indexes in memory: 24
 * bytes for each FUNC, PUBLIC, FILE, INLINE_ORIGIN, STACK CFI INIT and STACK WIN. Throws a MinidumpError `bad-symbols` when the text
 * is not a symbol file: its first line is not MODULE, or no line after it is a record. Single lines that are damaged are
 * left out and told in `problems`. The format is told in Breakpad’s document on symbol files.
 */
export class SymbolCompiler {
  readonly #output: CacheOutput;
  readonly #sourceTime: number;
  readonly #target: CompileTarget;
  readonly #problems = new Problems();
  readonly #window = Buffer.allocUnsafeSlow(WINDOW);
  readonly #fields = new Fields();
  readonly #run = { at: 0, count: 0 };
  /** Lines that are records, be they damaged. */
  #recordCount = 0;
  #unknownCount = 0;
  #filled = 0;
  /** Whether the rest of a line that is too long is being passed over. */
  #skipping = false;
  #module: ModuleLine | undefined;
  /** Of the line that is read next; lines count from 1. */
  #lineNumber = 1;
  #sourceSize = 0;

  constructor(output: CacheOutput, { sourceTime = 0 }: SymbolCompilerOptions = {}) {
    this.#output = output;
    this.#sourceTime = sourceTime;
    this.#target = new CompileTarget(output);
  }

  /** The first lines that were left out. */
  get problems(): readonly SymbolProblem[] {
    return this.#problems.list;
  }

  /** All lines that were left out. */
  get problemCount(): number {
    return this.#problems.count;
  }

  /** Lines of kinds that are not known, as later versions of the format may have them. */
  get unknownCount(): number {
    return this.#unknownCount;
  }

  /** Takes the next piece of the text, and is done with it when it returns. */
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

  /** Ends the text, and writes the rest of the cache. Returns what module it is of. */
  finish(): ModuleLine {
    const sourceSize = this.#sourceSize;
    if (this.#filled > 0 || this.#skipping) this.write(Uint8Array.of(LINE_FEED));
    const module = this.#module ?? readModuleLine(new Uint8Array());
    const { indexes, pageCount } = this.#target.finish();
    if (this.#recordCount === 0 && this.#problems.count > 0) throw nothingKnown(this.#problems.list[0]!);
    const footer = { module, sourceSize, sourceTime: this.#sourceTime, indexes };
    this.#output.write(encodeFooter(footer, pageCount));
    return module;
  }

  /** Reads the lines that became whole by the last `count` bytes. */
  #take(count: number): void {
    const lastLineFeed = this.#window.subarray(this.#filled, this.#filled + count).lastIndexOf(LINE_FEED);
    const whole = lastLineFeed < 0 ? 0 : this.#filled + lastLineFeed + 1;
    this.#filled += count;
    if (whole > 0) this.#readLines(whole);
    if (whole > 0) this.#window.copyWithin(0, whole, this.#filled);
    this.#filled -= whole;
    if (this.#filled < WINDOW) return;
    // A full window without the end of a line.
    if (this.#module === undefined) this.#module = readModuleLine(this.#window);
    if (!this.#skipping) this.#problems.add(this.#lineNumber, `longer than ${WINDOW} bytes`);
    this.#skipping = true;
    this.#filled = 0;
  }

  /** Reads the whole lines that the window begins with. */
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

  /** Reads the line that ends before `lineFeed`; CRLF ends a line as well, and some writers make CR CR LF. */
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
    const kind = RECORD_KINDS.find(({ start }) => startsWith(bytes, from, start));
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

/** Whether a line begins with a word in capitals, as records do, and not with a number. */
function beginsWithWord(bytes: Uint8Array, at: number): boolean {
  for (let index = at; ; index++) {
    const byte = bytes[index]!;
    if (byte !== UNDERSCORE && (byte < CAPITAL_A || byte > CAPITAL_Z)) return false;
    if (HEX_DIGITS[byte]! > 15) return true;
  }
}

function nothingKnown({ line, text }: SymbolProblem): MinidumpError {
  return new MinidumpError(
    'bad-symbols',
    `Line ${line}: ${text}; no line after the first is a record of a symbol file.`,
  );
}
