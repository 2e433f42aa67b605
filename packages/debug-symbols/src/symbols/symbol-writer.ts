// Writes a Breakpad symbol file. The format is documented in Breakpad's docs/symbol_files.md.
import type { CallFrameRecord, FunctionRecord, PublicRecord, SymbolSink, WindowsFrameRecord } from '../symbol-sink.ts';
import type { Scratch } from '../temporary-file.ts';
import { BREAKS, NumberedTexts } from './numbered-texts.ts';
import { RecordList } from './record-list.ts';
import { FIELDS, type PackedFunctions } from './record-packer.ts';
import { RecordText } from './record-text.ts';
import { TextStore } from './text-store.ts';

/** Portions are large enough that writing them is no more work than making them. */
const PORTION = 256 * 1024;
/** A number of 32 bits has no more. */
const MAX_DIGITS = 10;

/**
 * Keeps records until they are written in the order of their addresses. Of several functions at an address, which
 * the linker has folded into one, the first in the order of their sizes and names is written.
 */
export class SymbolWriter implements SymbolSink {
  readonly #files: NumberedTexts;
  readonly #origins: NumberedTexts;
  readonly #texts: TextStore;
  /** The text of the record that is being written. */
  readonly #text = new RecordText();
  readonly #functions: RecordList;
  readonly #publics: RecordList;
  readonly #frames: RecordList;
  readonly #windowsFrames: RecordList;
  #lineCount = 0;

  /** What doesn't fit into memory is in a file of `scratch`. */
  constructor(scratch?: Scratch) {
    this.#texts = new TextStore(scratch);
    this.#files = new NumberedTexts(this.#texts, 'FILE');
    this.#origins = new NumberedTexts(this.#texts, 'INLINE_ORIGIN');
    this.#functions = new RecordList(this.#texts);
    this.#publics = new RecordList(this.#texts);
    this.#frames = new RecordList(this.#texts);
    this.#windowsFrames = new RecordList(this.#texts);
  }

  file(path: string): number {
    return this.#files.number(path);
  }

  origin(name: string): number {
    return this.#origins.number(name);
  }

  function(record: FunctionRecord): void {
    this.#text.function(record);
    this.#lineCount += record.lines.length;
    this.#add(this.#functions, record);
  }

  /** Adds a record whose text was written. */
  #add(records: RecordList, { address, size }: { readonly address: number; readonly size: number }): void {
    records.addPlaced(address, size, this.#texts.appendBytes(this.#text.bytes, this.#text.end));
    this.#text.end = 0;
  }

  /**
   * Takes what a thread has collected, without the functions that are not `wanted`. All that comes is as if the functions
   * had been sent one after the other.
   */
  packedFunctions(packed: PackedFunctions, wanted: (address: number, size: number) => boolean = () => true): void {
    const { text, marks, records } = packed;
    const files = numbering(packed.files, (path) => this.file(path));
    const origins = numbering(packed.origins, (name) => this.origin(name));
    let [start, mark] = [0, 0];
    for (let record = 0; record < records.length; record += FIELDS) {
      const [address, size, end] = [records[record]!, records[record + 1]!, records[record + 2]!];
      const [inlineEnd, markEnd] = [records[record + 3]!, records[record + 4]!];
      if (wanted(address, size)) {
        // Readers ask for the files of lines first.
        for (let at = inlineEnd; at < markEnd; at += 2) marks[at + 1] = files(marks[at + 1]!);
        for (let at = mark; at < inlineEnd; at += 4) {
          marks[at + 1] = files(marks[at + 1]!);
          marks[at + 3] = origins(marks[at + 3]!);
        }
        this.#lineCount += (markEnd - inlineEnd) / 2;
        const most = end - start + ((markEnd - mark) / 2) * MAX_DIGITS;
        const place = this.#texts.appendWith(most, (buffer, at) =>
          fillIn(text, [start, end], marks.subarray(mark, markEnd), buffer, at),
        );
        this.#functions.addPlaced(address, size, place);
      }
      [start, mark] = [end, markEnd];
    }
  }

  publicSymbol({ address, parameterSize, name }: PublicRecord): void {
    const text = `PUBLIC ${hex(address)} ${hex(parameterSize)} ${name.replace(BREAKS, ' ')}\n`;
    this.#publics.add(address, 0, text);
  }

  callFrames(record: CallFrameRecord): void {
    this.#text.callFrames(record);
    this.#add(this.#frames, record);
  }

  windowsFrame(record: WindowsFrameRecord): void {
    const { type, address, size, prologueSize, epilogueSize, parameterSize } = record;
    const { savedRegisterSize, localSize, maximumStackSize, program } = record;
    const numbers = [
      ...[address, size, prologueSize, epilogueSize, parameterSize, savedRegisterSize, localSize, maximumStackSize],
    ];
    const hasProgram = typeof program === 'string';
    const last = hasProgram ? program : program ? '1' : '0';
    const text = `STACK WIN ${type} ${numbers.map(hex).join(' ')} ${hasProgram ? 1 : 0} ${last}\n`;
    this.#windowsFrames.add(address, size, text);
  }

  /** What was collected, in numbers. */
  get counts() {
    return {
      functions: this.#functions.count,
      lines: this.#lineCount,
      publics: this.#publics.count,
      frames: this.#frames.count + this.#windowsFrames.count,
    };
  }

  /** Bytes of what was collected, about as many as will be written. */
  get size(): number {
    return this.#texts.size;
  }

  /** Tests whether an address is in a function. Call it after the last function. */
  functionTest(): (address: number) => boolean {
    return this.#functions.coverage();
  }

  /** Tests whether an address has unwind rules so far. */
  frameTest(): (address: number) => boolean {
    return this.#frames.coverage();
  }

  /** The lines of the file, in portions of whole lines. `head` has MODULE and INFO. */
  *write(head: string): Generator<string> {
    yield head;
    yield* joined(this.#files.lines());
    yield* joined(this.#origins.lines());
    yield* joined(merged(this.#functions, this.#publics));
    // Of the rules that several sections have for a function, those sent first are the best.
    yield* joined(firstOfEach(this.#frames));
    yield* joined(allOf(this.#windowsFrames));
  }

  /** Removes what is kept on disk for a large file. Nothing can be written afterwards. */
  close(): void {
    this.#texts.close();
  }
}

/** Numbers for the texts of a list by their indexes, each when it is needed first. */
function numbering(texts: readonly string[], number: (text: string) => number): (index: number) => number {
  /** One more than the number; 0 if there is none yet. */
  const numbers = new Uint32Array(texts.length);
  return (index) => {
    let found = numbers[index]!;
    if (found === 0) {
      found = number(texts[index]!) + 1;
      numbers[index] = found;
    }
    return found - 1;
  };
}

/** Copies a text to a position, with numbers at its marks, and returns the end of the copy. */
function fillIn(
  text: Uint8Array,
  [start, end]: readonly [start: number, end: number],
  marks: Uint32Array,
  to: Uint8Array,
  position: number,
): number {
  let from = start;
  let at = position;
  for (let mark = 0; mark < marks.length; mark += 2) {
    const next = marks[mark]!;
    // Most pieces are so short that a loop is faster than a copy of arrays.
    while (from < next) to[at++] = text[from++]!;
    at = writeNumber(marks[mark + 1]!, to, at);
  }
  while (from < end) to[at++] = text[from++]!;
  return at;
}

function writeNumber(number: number, to: Uint8Array, position: number): number {
  let end = position + 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = number;
  for (let at = end - 1; at >= position; at -= 1) {
    to[at] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}

function hex(number: number): string {
  return number.toString(16);
}

/** Joins texts to portions. */
function* joined(texts: Iterable<Uint8Array>): Generator<string> {
  const portion = Buffer.allocUnsafe(PORTION);
  let used = 0;
  for (const text of texts) {
    if (used + text.length > PORTION) {
      yield portion.toString('utf8', 0, used);
      used = 0;
    }
    if (text.length > PORTION) {
      yield Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8');
      continue;
    }
    portion.set(text, used);
    used += text.length;
  }
  if (used > 0) yield portion.toString('utf8', 0, used);
}

function* allOf(records: RecordList): Generator<Uint8Array> {
  for (const index of records.order()) yield records.text(index);
}

function* firstOfEach(records: RecordList): Generator<Uint8Array> {
  let address = Number.NaN;
  for (const index of records.order()) {
    if (records.address(index) === address) continue;
    address = records.address(index);
    yield records.text(index);
  }
}

type Placed = { readonly address: number; readonly text: Uint8Array };

/** Of the records at an address, the first in the order of their texts. */
function* smallestOfEach(records: RecordList): Generator<Placed> {
  const order = records.order();
  for (let at = 0; at < order.length; ) {
    const address = records.address(order[at]!);
    let text = records.text(order[at]!);
    for (at += 1; at < order.length && records.address(order[at]!) === address; at += 1) {
      const other = records.text(order[at]!);
      if (Buffer.compare(other, text) < 0) text = other;
    }
    yield { address, text };
  }
}

/** By ascending address, a function in front of a public symbol. */
function* merged(functions: RecordList, publics: RecordList): Generator<Uint8Array> {
  const others = smallestOfEach(publics);
  let next = others.next();
  for (const { address, text } of smallestOfEach(functions)) {
    while (next.done !== true && next.value.address < address) {
      yield next.value.text;
      next = others.next();
    }
    yield text;
  }
  for (; next.done !== true; next = others.next()) yield next.value.text;
}
