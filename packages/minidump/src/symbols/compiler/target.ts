// The cache under construction, to which the records and texts of a symbol file are written.

import { ByteSink } from '../cache/byte-sink.ts';
import { type Footer, INDEX_NAMES, type IndexName } from '../cache/footer.ts';
import { type CacheOutput, PageWriter } from '../cache/page-writer.ts';
import { IndexBuilder } from './index-builder.ts';
import { CfiBuilder, FunctionBuilder } from './record-builders.ts';

/** Written before all data, so that no record is at position 0, and to show what the file is. Part of the format. */
const PREAMBLE = Buffer.from('Breakpad symbols, compiled for look-ups\n');

export class CompileTarget {
  readonly pages: PageWriter;
  readonly texts: TextStore;
  readonly indexes: Readonly<Record<IndexName, IndexBuilder>>;
  /** The function to which lines and inlined calls belong. */
  readonly function: FunctionBuilder;
  /** The INIT to which STACK CFI records belong. */
  readonly cfi: CfiBuilder;

  constructor(output: CacheOutput) {
    this.pages = new PageWriter(output);
    this.pages.append(PREAMBLE);
    this.texts = new TextStore(this.pages);
    this.indexes = Object.fromEntries(INDEX_NAMES.map((name) => [name, new IndexBuilder()])) as typeof this.indexes;
    this.function = new FunctionBuilder(this.pages, this.indexes.functions);
    this.cfi = new CfiBuilder(this.pages, this.indexes.cfi);
  }

  /** Writes the open records, then the indexes. */
  finish(): { indexes: Footer['indexes']; pageCount: number } {
    this.function.close();
    this.cfi.close();
    const { functions, publics, files, inlineOrigins, cfi, frameData, fpo } = this.indexes;
    const indexes = {
      functions: functions.writeDisjoint(this.pages),
      publics: publics.writeUnique(this.pages),
      files: files.writeUnique(this.pages),
      inlineOrigins: inlineOrigins.writeUnique(this.pages),
      cfi: cfi.writeDisjoint(this.pages),
      frameData: frameData.writeNested(this.pages),
      fpo: fpo.writeNested(this.pages),
    };
    return { indexes, pageCount: this.pages.finish() };
  }
}

/** How many texts are remembered; a power of two. A file has a few thousand different unwind rules. */
const SLOTS = 1 << 14;
/** Longer texts are not remembered. */
const SLOT_BYTES = 248;

/** Remembers recent texts in a fixed 4 MiB of memory, with one slot for each hash value. */
class TextStore {
  readonly #pages: PageWriter;
  readonly #positions = new Float64Array(SLOTS);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #texts = new Uint8Array(SLOTS * SLOT_BYTES);
  readonly #sink = new ByteSink();

  constructor(pages: PageWriter) {
    this.#pages = pages;
  }

  /** Writes the text `bytes[from, to)`. Returns its position. */
  write(bytes: Uint8Array, from: number, to: number): number {
    this.#sink.clear();
    this.#sink.text(bytes, from, to);
    return this.#pages.append(this.#sink.bytes, 0, this.#sink.length);
  }

  /** Writes a text that is likely to be repeated, unless it was written before. Returns its position. */
  share(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length > SLOT_BYTES || length === 0) return this.write(bytes, from, to);
    const slot = hash(bytes, from, to) & (SLOTS - 1);
    if (!this.#holds(slot, bytes, from, length)) {
      this.#positions[slot] = this.write(bytes, from, to);
      this.#lengths[slot] = length;
      for (let index = 0; index < length; index++) this.#texts[slot * SLOT_BYTES + index] = bytes[from + index]!;
    }
    return this.#positions[slot]!;
  }

  #holds(slot: number, bytes: Uint8Array, from: number, length: number): boolean {
    if (this.#lengths[slot] !== length) return false;
    const start = slot * SLOT_BYTES;
    for (let index = 0; index < length; index++) if (this.#texts[start + index] !== bytes[from + index]) return false;
    return true;
  }
}

/** FNV-1a, with its high bits folded in. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let index = from; index < to; index++) value = Math.imul(value ^ bytes[index]!, 0x01000193);
  return value ^ (value >>> 15);
}
