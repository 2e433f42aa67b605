// Collects functions in a thread, for the writer in another one.
import { DebugSymbolsError } from '../error.ts';
import { grow } from '../grow.ts';
import type { FunctionRecord, SymbolSink } from '../symbol-sink.ts';
import { RecordText } from './record-text.ts';

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
  readonly #text = new MarkedText();
  /** Characters of the files and origins. */
  #indexedLength = 0;
  #records = new Float64Array(1024 * FIELDS);
  #recordEnd = 0;

  file(path: string): number {
    return this.#indexIn(this.#files, path);
  }

  origin(name: string): number {
    return this.#indexIn(this.#origins, name);
  }

  function(record: FunctionRecord): void {
    const text = this.#text;
    const inlineEnd = text.markEnd + record.inlines.length * 4;
    text.function(record);
    if (text.end + this.#indexedLength > MAX_TEXT)
      throw new DebugSymbolsError('too-large', 'a part of the file has too many lines');
    if (this.#recordEnd === this.#records.length) this.#records = grow(this.#records);
    this.#records.set([record.address, record.size, text.end, inlineEnd, text.markEnd], this.#recordEnd);
    this.#recordEnd += FIELDS;
  }

  #indexIn(indexes: Map<string, number>, text: string): number {
    let index = indexes.get(text);
    if (index === undefined) {
      index = indexes.size;
      indexes.set(text, index);
      this.#indexedLength += text.length;
    }
    return index;
  }

  finish(): PackedFunctions {
    return {
      text: this.#text.bytes.subarray(0, this.#text.end),
      marks: this.#text.marks.subarray(0, this.#text.markEnd),
      records: this.#records.subarray(0, this.#recordEnd),
      files: [...this.#files.keys()],
      origins: [...this.#origins.keys()],
    };
  }
}

/** Text without the numbers of files and origins. */
class MarkedText extends RecordText {
  marks = new Uint32Array(16 * 1024);
  markEnd = 0;

  override index(number: number): void {
    if (this.markEnd === this.marks.length) this.marks = grow(this.marks);
    this.marks[this.markEnd] = this.end;
    this.marks[this.markEnd + 1] = number;
    this.markEnd += 2;
  }
}

/** The buffers that can be moved to another thread. */
export function buffersOf({ text, marks, records }: PackedFunctions): ArrayBuffer[] {
  return [text, marks, records].map(({ buffer }) => buffer as ArrayBuffer);
}
