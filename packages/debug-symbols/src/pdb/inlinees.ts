// Where the code of inlined functions is, and its lines.
// The annotations are described by `BinaryAnnotationOpcode` in Microsoft's `cvinfo.h`.
import { u32 } from './bytes.ts';
import { DEBUG_S_INLINEELINES, type Subsection } from './module-stream.ts';

const WITH_EXTRA_FILES = 1;
/** How many functions one module can inline. The others remain without lines. */
const MAX_INLINEES = 2_000_000;

/** Code of one line. Files are given by the offset of their checksum. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly file: number;
}

/** The first lines of the functions that a module inlines, by the numbers of their records. */
export class InlineeLines {
  /** Where the entry of each function is: the index of the subsection, above the offset in it. */
  readonly #places = new Map<number, number>();
  readonly #sections: Uint8Array[] = [];

  constructor(subsections: readonly Subsection[]) {
    for (const { kind, bytes } of subsections) if (kind === DEBUG_S_INLINEELINES) this.#index(bytes);
  }

  find(inlinee: number): { file: number; line: number } | undefined {
    const place = this.#places.get(inlinee);
    if (place === undefined) return undefined;
    const bytes = this.#sections[Math.floor(place / 2 ** 32)]!;
    const at = place % 2 ** 32;
    return { file: u32(bytes, at + 4), line: u32(bytes, at + 8) };
  }

  #index(bytes: Uint8Array): void {
    const extra = u32(bytes, 0) === WITH_EXTRA_FILES;
    const section = this.#sections.push(bytes) - 1;
    for (let at = 4; at + 12 <= bytes.length && this.#places.size < MAX_INLINEES; ) {
      const inlinee = u32(bytes, at);
      if (!this.#places.has(inlinee)) this.#places.set(inlinee, section * 2 ** 32 + at);
      at += extra ? 16 + u32(bytes, at + 12) * 4 : 12;
    }
  }
}

/**
 * Reads the annotations of an inlined call: a program that moves through the code of the function and notes lines.
 *
 * @param chunks Where the code of the function begins, and then the parts of it that were moved away from there.
 * @param end Where a last range without a size ends.
 */
export function readAnnotations(
  annotations: Uint8Array,
  chunks: readonly number[],
  first: { file: number; line: number },
  end: number,
): LineRange[] {
  return new AnnotationReader(annotations, chunks, first).read(end);
}

class AnnotationReader {
  readonly #bytes: Uint8Array;
  readonly #chunks: readonly number[];
  readonly #ranges: LineRange[] = [];
  #at = 0;
  #base: number;
  #offset = 0;
  #file: number;
  #line: number;
  /** Where the range begins whose end is not known yet; -1 if there is none. */
  #open = -1;
  #openLine = 0;
  #openFile = 0;

  constructor(bytes: Uint8Array, chunks: readonly number[], first: { file: number; line: number }) {
    this.#bytes = bytes;
    this.#chunks = chunks;
    this.#base = chunks[0] ?? 0;
    this.#file = first.file;
    this.#line = first.line;
  }

  read(end: number): LineRange[] {
    while (this.#at < this.#bytes.length) {
      const code = this.#unsigned();
      // Zeros fill up the record.
      if (code === 0) break;
      this.#step(code);
    }
    this.#close(end);
    return this.#ranges;
  }

  #step(code: number): void {
    switch (code) {
      case 1: // CodeOffset
        this.#offset = this.#unsigned();
        return;
      case 2: // ChangeCodeOffsetBase
        this.#changeChunk(this.#unsigned());
        return;
      case 3: // ChangeCodeOffset
        this.#advance(this.#unsigned());
        return;
      case 4: // ChangeCodeLength
        this.#offset += this.#unsigned();
        this.#close(this.#base + this.#offset);
        return;
      case 5: // ChangeFile
        this.#file = this.#unsigned();
        return;
      case 6: // ChangeLineOffset
        this.#line += this.#signed();
        return;
      case 11: {
        // ChangeCodeOffsetAndLineOffset has both in one number.
        const both = this.#unsigned();
        this.#line += toSigned(both >>> 4);
        this.#advance(both & 0xf);
        return;
      }
      case 12: {
        // ChangeCodeLengthAndCodeOffset has the length of the range that it begins. Unlike ChangeCodeLength, it leaves
        // the position at the start of that range.
        const length = this.#unsigned();
        this.#advance(this.#unsigned());
        this.#close(this.#base + this.#offset + length);
        return;
      }
      default:
        // The others have one operand, about columns and statements.
        this.#unsigned();
    }
  }

  #changeChunk(index: number): void {
    this.#close(this.#base + this.#offset);
    this.#base = this.#chunks[index] ?? this.#base;
    this.#offset = 0;
  }

  #advance(delta: number): void {
    this.#offset += delta;
    const start = this.#base + this.#offset;
    this.#close(start);
    this.#open = start;
    this.#openLine = this.#line;
    this.#openFile = this.#file;
  }

  #close(end: number): void {
    if (this.#open >= 0 && end > this.#open) {
      this.#ranges.push({ start: this.#open, end, line: Math.max(this.#openLine, 0), file: this.#openFile });
    }
    this.#open = -1;
  }

  /** Reads a number of one, two or four bytes; the first bits give its size. */
  #unsigned(): number {
    const bytes = this.#bytes;
    const first = bytes[this.#at] ?? 0;
    if (first < 0x80) {
      this.#at += 1;
      return first;
    }
    if (first < 0xc0) {
      this.#at += 2;
      return ((first & 0x3f) << 8) | (bytes[this.#at - 1] ?? 0);
    }
    this.#at += 4;
    const second = bytes[this.#at - 3] ?? 0;
    return ((first & 0x1f) << 24) | (second << 16) | ((bytes[this.#at - 2] ?? 0) << 8) | (bytes[this.#at - 1] ?? 0);
  }

  #signed(): number {
    return toSigned(this.#unsigned());
  }
}

/** The lowest bit is the sign. */
function toSigned(value: number): number {
  return value & 1 ? -(value >>> 1) : value >>> 1;
}
