// Collects functions in a thread, for the writer in another one.
import { DebugSymbolsError } from '../error.ts';
import { grow } from '../grow.ts';
import type { FunctionRecord, SymbolSink } from '../symbol-sink.ts';
import { BREAKS } from './numbered-texts.ts';

/**
 * Functions as text, without the numbers of files and origins: only the writer knows which came first in the program.
 * Here they are indexes of `files` and `origins`.
 */
export type PackedFunctions = {
  /** The texts one after the other, in UTF-8. */
  readonly text: Uint8Array;
  /**
   * Pairs of a position in the text, where a number is missing, and an index. Each inlined call has two of them, for its
   * file and its origin, and after all calls of a function each of its lines has one, for its file.
   */
  readonly marks: Uint32Array;
  /** FIELDS numbers for each function: address, size, and the ends of its text, of the marks of its calls, and of all. */
  readonly records: Float64Array;
  readonly files: readonly string[];
  readonly origins: readonly string[];
};

export const FIELDS = 5;
/** What a batch may have. More would fill the memory, so that one thread does it alone. */
const MAX_TEXT = 64 * 1024 * 1024;

/** Records of other kinds don't come from work that is done in threads. */
export type FunctionSink = Pick<SymbolSink, 'file' | 'origin' | 'function'>;

export class RecordPacker implements FunctionSink {
  readonly #files = new Map<string, number>();
  readonly #origins = new Map<string, number>();
  #text = Buffer.allocUnsafeSlow(256 * 1024);
  #textEnd = 0;
  #marks = new Uint32Array(16 * 1024);
  #markEnd = 0;
  #records = new Float64Array(1024 * FIELDS);
  #recordEnd = 0;

  file(path: string): number {
    return indexIn(this.#files, path);
  }

  origin(name: string): number {
    return indexIn(this.#origins, name);
  }

  /** The text is that of `SymbolWriter.function`. */
  function({ address, size, name, parameterSize, lines, inlines }: FunctionRecord): void {
    const firstMark = this.#markEnd;
    this.#makeRoom(inlines.length * 4 + lines.length * 2);
    let text = `FUNC ${hex(address)} ${hex(size)} ${hex(parameterSize)} ${name.replace(BREAKS, ' ')}\n`;
    for (const { depth, callLine, callFile, origin, ranges } of inlines) {
      text += `INLINE ${depth} ${callLine} `;
      this.#mark(text.length, callFile);
      text += ' ';
      this.#mark(text.length, origin);
      for (const value of ranges) text += ` ${hex(value)}`;
      text += '\n';
    }
    const inlineEnd = this.#markEnd;
    for (const line of lines) {
      text += `${hex(line.address)} ${hex(line.size)} ${line.line} `;
      this.#mark(text.length, line.file);
      text += '\n';
    }
    this.#append(text);
    // Only the name, which comes before all marks, has characters of several bytes.
    const shift = this.#textEnd - text.length;
    for (let at = firstMark; at < this.#markEnd; at += 2) this.#marks[at] = this.#marks[at]! + shift;
    this.#addRecord([address, size, this.#textEnd, inlineEnd, this.#markEnd]);
  }

  finish(): PackedFunctions {
    return {
      text: this.#text.subarray(0, this.#textEnd),
      marks: this.#marks.subarray(0, this.#markEnd),
      records: this.#records.subarray(0, this.#recordEnd),
      files: [...this.#files.keys()],
      origins: [...this.#origins.keys()],
    };
  }

  #makeRoom(marks: number): void {
    while (this.#markEnd + marks > this.#marks.length) this.#marks = grow(this.#marks);
  }

  #mark(position: number, index: number): void {
    this.#marks[this.#markEnd] = position;
    this.#marks[this.#markEnd + 1] = index;
    this.#markEnd += 2;
  }

  #append(text: string): void {
    const needed = this.#textEnd + text.length * 3;
    if (needed > MAX_TEXT)
      throw new DebugSymbolsError('too-large', 'a part of the debug information has too many lines');
    if (needed > this.#text.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#text.length * 2, needed));
      larger.set(this.#text.subarray(0, this.#textEnd));
      this.#text = larger;
    }
    this.#textEnd += this.#text.write(text, this.#textEnd);
  }

  #addRecord(fields: readonly number[]): void {
    if (this.#recordEnd === this.#records.length) this.#records = grow(this.#records);
    this.#records.set(fields, this.#recordEnd);
    this.#recordEnd += FIELDS;
  }
}

/** The buffers that can be moved to another thread. */
export function buffersOf({ text, marks, records }: PackedFunctions): ArrayBuffer[] {
  return [text, marks, records].map(({ buffer }) => buffer as ArrayBuffer);
}

function indexIn(indexes: Map<string, number>, text: string): number {
  let index = indexes.get(text);
  if (index === undefined) {
    index = indexes.size;
    indexes.set(text, index);
  }
  return index;
}

function hex(number: number): string {
  return number.toString(16);
}
