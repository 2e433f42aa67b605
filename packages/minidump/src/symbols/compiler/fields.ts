// Takes one line of a symbol file apart, on its bytes: numbers, words, and the text at its end.

/** Offsets and sizes are below this, so that they, their sums and twice their differences are exact numbers. No module is a millionth as large. */
export const MAX_OFFSET = 2 ** 52;
/** File ids, line numbers and sizes of parameters are below this: they fit in 32 bits, and so does one more. */
export const MAX_NUMBER = 0xffff_ffff;

/** The value of each byte as a hex digit; 255 for all others. */
export const HEX_DIGITS = makeHexDigits();

const SPACE = 0x20;
const TAB = 0x09;
const MINUS = 0x2d;

/** A cursor on a line. Fields are parted by one or more spaces or tabs; a field that does not parse gives -1. */
export class Fields {
  bytes: Uint8Array = new Uint8Array();
  /** The next byte to read. */
  at = 0;
  /** Behind the last byte of the line, without its line end. */
  end = 0;

  reset(bytes: Uint8Array, from: number, end: number): void {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** Whether nothing but blanks is left. */
  atEnd(): boolean {
    this.skipBlanks();
    return this.at === this.end;
  }

  /** A hex number below `limit`. */
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

  /** A decimal number below MAX_NUMBER. */
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

  /** Takes `-1`, which stands for a file that is not known. Whether it was there. */
  takeMinusOne(): boolean {
    this.skipBlanks();
    if (this.bytes[this.at] !== MINUS || this.bytes[this.at + 1] !== 0x31 || !this.#isBlank(this.at + 2)) return false;
    this.at += 2;
    return true;
  }

  /** Takes a word that stands alone. Whether it was there. */
  take(word: Uint8Array): boolean {
    this.skipBlanks();
    if (!startsWith(this.bytes, this.at, word) || !this.#isBlank(this.at + word.length)) return false;
    this.at += word.length;
    return true;
  }

  /** Words that are left. */
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

  /** A number ends where a blank follows; it has digits. */
  #ended(from: number, at: number): boolean {
    this.at = at;
    return at > from && this.#isBlank(at);
  }
}

/** Whether `word` lies at `at`. */
export function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

function makeHexDigits(): Uint8Array {
  const digits = new Uint8Array(256).fill(255);
  for (const [value, character] of [...'0123456789abcdef'].entries()) {
    digits[character.charCodeAt(0)] = value;
    digits[character.toUpperCase().charCodeAt(0)] = value;
  }
  return digits;
}
