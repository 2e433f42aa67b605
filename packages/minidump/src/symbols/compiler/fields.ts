// Parses the fields of a line of a symbol file directly from its bytes: numbers, words, and the text at the end. Collects
// the problems that it finds.

/**
 * Offsets and sizes are below this limit, so that they, their sums and twice their differences are exact numbers. Real
 * modules are a million times smaller.
 */
export const MAX_OFFSET = 2 ** 52;
/** File ids, line numbers and parameter sizes are below this limit, so that they and their successors fit in 32 bits. */
export const MAX_NUMBER = 0xffff_ffff;

/** The value of each byte as a hex digit; 255 for all other bytes. */
export const HEX_DIGITS = createHexDigits();

const SPACE = 0x20;
const TAB = 0x09;
const MINUS = 0x2d;

/** A cursor on a line. Fields are separated by spaces or tabs. The number methods return -1 for an invalid field. */
export class Fields {
  bytes: Uint8Array = new Uint8Array();
  /** The position of the next byte. */
  at = 0;
  /** The position after the last byte of the line, without its line end. */
  end = 0;

  reset(bytes: Uint8Array, from: number, end: number): void {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** Whether only blanks are left. */
  atEnd(): boolean {
    this.skipBlanks();
    return this.at === this.end;
  }

  /** Reads a hex number below `limit`. */
  hex(limit = MAX_OFFSET): number {
    this.skipBlanks();
    const { bytes, end } = this;
    const from = this.at;
    let value = 0;
    let at = from;
    for (; at < end; at++) {
      const digit = HEX_DIGITS[bytes[at]!]!;
      if (digit > 15) break;
      value = value * 16 + digit;
    }
    return this.#ended(from, at) && value < limit ? value : -1;
  }

  /** Reads a decimal number below MAX_NUMBER. */
  decimal(): number {
    this.skipBlanks();
    const { bytes, end } = this;
    const from = this.at;
    let value = 0;
    let at = from;
    for (; at < end; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    return this.#ended(from, at) && value < MAX_NUMBER ? value : -1;
  }

  /** Skips `-1`, which means an unknown file. Returns whether it was there. */
  takeMinusOne(): boolean {
    this.skipBlanks();
    if (this.bytes[this.at] !== MINUS || this.bytes[this.at + 1] !== 0x31 || !this.#isBlank(this.at + 2)) return false;
    this.at += 2;
    return true;
  }

  /** Skips a whole word. Returns whether it was there. */
  take(word: Uint8Array): boolean {
    this.skipBlanks();
    if (!startsWith(this.bytes, this.at, word) || !this.#isBlank(this.at + word.length)) return false;
    this.at += word.length;
    return true;
  }

  /** Returns the number of remaining words. */
  countWords(): number {
    let count = 0;
    for (let at = this.at; at < this.end; at++) if (!this.#isBlank(at) && this.#isBlank(at + 1)) count++;
    return count;
  }

  skipBlanks(): void {
    while (this.at < this.end && this.#isBlank(this.at)) this.at++;
  }

  #isBlank(at: number): boolean {
    return at >= this.end || this.bytes[at] === SPACE || this.bytes[at] === TAB;
  }

  /** Whether the number has digits and is followed by a blank. */
  #ended(from: number, at: number): boolean {
    this.at = at;
    return at > from && this.#isBlank(at);
  }
}

/** Whether the bytes at `at` start with `word`. */
export function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

function createHexDigits(): Uint8Array {
  const digits = new Uint8Array(256).fill(255);
  for (const [value, character] of [...'0123456789abcdef'].entries()) {
    digits[character.charCodeAt(0)] = value;
    digits[character.toUpperCase().charCodeAt(0)] = value;
  }
  return digits;
}

/** A skipped line and the reason. Lines are numbered from 1. */
export type SymbolProblem = { readonly line: number; readonly text: string };

/** A file with a million damaged lines usually has the same problem in all of them. */
const MAX_LISTED = 50;

/** The problems of a symbol file: the first few, and the number of all. */
export class Problems {
  /** The first problems. */
  readonly list: SymbolProblem[] = [];
  /** The number of all problems. */
  count = 0;

  add(line: number, text: string): void {
    this.count++;
    if (this.list.length < MAX_LISTED) this.list.push({ line, text });
  }
}
