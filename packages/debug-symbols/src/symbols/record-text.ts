// Writes the text of records into a buffer. Made of strings, the text of a large program would be a gigabyte of garbage.
import type { CallFrameRecord, FunctionRecord } from '../symbol-sink.ts';
import { BREAKS } from './numbered-texts.ts';

/** More than any number that isn't of 32 bits has in practice. */
const MAX_NUMBER = 32;

export class RecordText {
  bytes = Buffer.allocUnsafeSlow(64 * 1024);
  end = 0;

  /** Any text, in UTF-8. */
  text(text: string): void {
    // A character of UTF-16 has at most three bytes in UTF-8.
    this.#makeRoom(text.length * 3);
    this.end += this.bytes.write(text, this.end);
  }

  /** A text of ASCII characters. */
  ascii(text: string): void {
    this.#makeRoom(text.length);
    const { bytes } = this;
    let { end } = this;
    for (let index = 0; index < text.length; index += 1) bytes[end++] = text.charCodeAt(index);
    this.end = end;
  }

  /** A byte, such as a space. */
  byte(byte: number): void {
    this.#makeRoom(1);
    this.bytes[this.end++] = byte;
  }

  hex(number: number): void {
    if (number >>> 0 !== number) {
      this.ascii(number.toString(16));
      return;
    }
    this.#makeRoom(MAX_NUMBER);
    const start = this.end;
    let shift = number < 0x10 ? 0 : 28 - (Math.clz32(number) & ~3);
    let at = start;
    for (; shift >= 0; shift -= 4) {
      const digit = (number >>> shift) & 0xf;
      this.bytes[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit;
    }
    this.end = at;
  }

  decimal(number: number): void {
    if (number >>> 0 !== number) {
      this.ascii(String(number));
      return;
    }
    this.#makeRoom(MAX_NUMBER);
    let size = 1;
    for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) size += 1;
    const end = this.end + size;
    let rest = number;
    for (let at = end - 1; at >= this.end; at -= 1) {
      const tens = Math.floor(rest / 10);
      this.bytes[at] = 0x30 + rest - tens * 10;
      rest = tens;
    }
    this.end = end;
  }

  /** The number of a file or an origin. */
  index(number: number): void {
    this.decimal(number);
  }

  function({ address, size, name, parameterSize, lines, inlines }: FunctionRecord): void {
    this.ascii('FUNC ');
    this.#hexes(address, size);
    this.byte(SPACE);
    this.hex(parameterSize);
    this.byte(SPACE);
    this.text(name.replace(BREAKS, ' '));
    this.byte(LINE_END);
    for (const { depth, callLine, callFile, origin, ranges } of inlines) {
      this.ascii('INLINE ');
      this.decimal(depth);
      this.byte(SPACE);
      this.decimal(callLine);
      this.byte(SPACE);
      this.index(callFile);
      this.byte(SPACE);
      this.index(origin);
      for (const value of ranges) {
        this.byte(SPACE);
        this.hex(value);
      }
      this.byte(LINE_END);
    }
    for (const line of lines) {
      this.#hexes(line.address, line.size);
      this.byte(SPACE);
      this.decimal(line.line);
      this.byte(SPACE);
      this.index(line.file);
      this.byte(LINE_END);
    }
  }

  callFrames({ address, size, rules, changes }: CallFrameRecord): void {
    this.ascii('STACK CFI INIT ');
    this.#hexes(address, size);
    this.byte(SPACE);
    this.ascii(rules);
    this.byte(LINE_END);
    for (const change of changes) {
      this.ascii('STACK CFI ');
      this.hex(change.address);
      this.byte(SPACE);
      this.ascii(change.rules);
      this.byte(LINE_END);
    }
  }

  #hexes(one: number, other: number): void {
    this.hex(one);
    this.byte(SPACE);
    this.hex(other);
  }

  #makeRoom(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.end + count));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }
}

const SPACE = 0x20;
const LINE_END = 0x0a;
