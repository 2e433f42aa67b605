// Counts what a symbol file contains while it passes by, without parsing it: which of two files of a module is richer, and
// whether a file can name functions at all.

export type SymbolContents = {
  /** FUNC records with a name. */
  readonly functions: number;
  readonly lines: number;
  readonly inlines: number;
  /** PUBLIC records with a name. */
  readonly publics: number;
  /** Ranges with unwind rules: STACK CFI INIT and STACK WIN. */
  readonly unwind: number;
};

/** Levels of detail, from the least. A level is worth more than any number of records of the levels below it. */
export const DETAILS = { nothing: 0, names: 1, functions: 2, lines: 3 } as const;
export type Detail = (typeof DETAILS)[keyof typeof DETAILS];

/** Returns what stacks can show with such a file: source lines, functions, or only names nearby and unwind rules. */
export function detailOf({ functions, lines, publics, unwind }: SymbolContents): Detail {
  if (functions > 0) return lines > 0 ? DETAILS.lines : DETAILS.functions;
  return publics > 0 || unwind > 0 ? DETAILS.names : DETAILS.nothing;
}

/** The number of records, by which files with the same detail are compared. */
export function countRecords({ functions, lines, inlines, publics, unwind }: SymbolContents): number {
  return functions + lines + inlines + publics + unwind;
}

const LINE_FEED = 0x0a;
/** Enough of a line to recognize its record and, except in a damaged file, the start of its name. */
const HEAD = 128;
const FUNC = /^FUNC (?:m )?[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (.*)/i;
const PUBLIC = /^PUBLIC (?:m )?[0-9a-f]+ [0-9a-f]+ (.*)/i;

/** Names by which dump_syms marks code without symbols: `<unknown in game.dll>`, `<.text ELF section in libgame.so>`. */
const PLACEHOLDER = /^<(?:unknown|\S+ ELF section) in /;

/** Whether a name is not one of a function. */
export function isPlaceholder(name: string): boolean {
  return name.startsWith('<') && PLACEHOLDER.test(name);
}

/** Counts the records of a text that is written to it in chunks of any size. About two nanoseconds for each byte. */
export class ContentsCounter {
  readonly #counts = { functions: 0, lines: 0, inlines: 0, publics: 0, unwind: 0 };
  /** The first bytes of a line whose end is in a later chunk. */
  readonly #cut = Buffer.alloc(HEAD);
  #cutSize = 0;

  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = this.#cutSize === 0 ? 0 : this.#continue(bytes);
    for (let at = bytes.indexOf(LINE_FEED, from); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      this.#count(bytes, from, at);
      from = at + 1;
    }
    if (from < bytes.length) this.#keep(bytes, from, bytes.length);
  }

  /** Ends the text. */
  finish(): SymbolContents {
    if (this.#cutSize > 0) this.#count(this.#cut, 0, this.#cutSize);
    this.#cutSize = 0;
    return { ...this.#counts };
  }

  /** Completes the line of the previous chunk. Returns where the next line starts. */
  #continue(bytes: Buffer): number {
    const lineFeed = bytes.indexOf(LINE_FEED);
    this.#keep(bytes, 0, lineFeed < 0 ? bytes.length : lineFeed);
    if (lineFeed < 0) return bytes.length;
    this.finish();
    return lineFeed + 1;
  }

  #keep(bytes: Buffer, from: number, end: number): void {
    this.#cutSize += bytes.copy(this.#cut, this.#cutSize, from, Math.min(end, from + HEAD));
  }

  #count(bytes: Buffer, from: number, end: number): void {
    if (end - from < 4) return;
    const first = bytes[from]!;
    const second = bytes[from + 1]!;
    // Digits, and letters as they are in hex numbers.
    if ((first >= 0x30 && first <= 0x39) || (first >= 0x61 && first <= 0x66)) this.#counts.lines++;
    else if (first === 0x46 && second === 0x55) this.#countNamed(bytes, from, end, FUNC, 'functions');
    else if (first === 0x50 && second === 0x55) this.#countNamed(bytes, from, end, PUBLIC, 'publics');
    else if (first === 0x53 && second === 0x54) this.#countUnwind(bytes, from, end);
    else if (first === 0x49 && bytes[from + 6] === 0x20 && bytes[from + 2] === 0x4c) this.#counts.inlines++;
  }

  #countNamed(bytes: Buffer, from: number, end: number, record: RegExp, kind: 'functions' | 'publics'): void {
    const name = record.exec(bytes.toString('latin1', from, Math.min(end, from + HEAD)))?.[1];
    if (name !== undefined && !isPlaceholder(name)) this.#counts[kind]++;
  }

  #countUnwind(bytes: Buffer, from: number, end: number): void {
    const start = bytes.toString('latin1', from, Math.min(end, from + 15));
    if (start === 'STACK CFI INIT ' || start.startsWith('STACK WIN ')) this.#counts.unwind++;
  }
}
