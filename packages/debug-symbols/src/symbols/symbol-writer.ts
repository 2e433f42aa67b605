// Writes a Breakpad symbol file. The format is documented in Breakpad's docs/symbol_files.md.
import type { CallFrameRecord, FunctionRecord, PublicRecord, SymbolSink, WindowsFrameRecord } from '../symbol-sink.ts';
import { type TextPlace, TextStore } from './text-store.ts';

/** Names contain no line breaks, because a record is one line. */
const BREAKS = /[\r\n]+/g;

type Stored = { readonly address: number; readonly size: number; readonly place: TextPlace };

/** Portions are large enough that writing them is no more work than making them. */
const PORTION = 256 * 1024;

/**
 * Keeps records until they are written in the order of their addresses. Of several functions at an address, which
 * the linker has folded into one, the first in the order of their sizes and names is written.
 */
export class SymbolWriter implements SymbolSink {
  readonly #files = new Map<string, number>();
  readonly #origins = new Map<string, number>();
  readonly #functions: Stored[] = [];
  readonly #publics: Stored[] = [];
  readonly #frames: Stored[] = [];
  readonly #windowsFrames: Stored[] = [];
  readonly #texts = new TextStore();
  #lineCount = 0;

  file(path: string): number {
    return numberOf(this.#files, path);
  }

  origin(name: string): number {
    return numberOf(this.#origins, name);
  }

  function({ address, size, name, parameterSize, lines, inlines }: FunctionRecord): void {
    let text = `FUNC ${hex(address)} ${hex(size)} ${hex(parameterSize)} ${name.replace(BREAKS, ' ')}\n`;
    for (const { depth, callLine, callFile, origin, ranges } of inlines) {
      text += `INLINE ${depth} ${callLine} ${callFile} ${origin}`;
      for (const value of ranges) text += ` ${hex(value)}`;
      text += '\n';
    }
    for (const line of lines) text += `${hex(line.address)} ${hex(line.size)} ${line.line} ${line.file}\n`;
    this.#lineCount += lines.length;
    this.#functions.push({ address, size, place: this.#texts.append(text) });
  }

  publicSymbol({ address, parameterSize, name }: PublicRecord): void {
    const text = `PUBLIC ${hex(address)} ${hex(parameterSize)} ${name.replace(BREAKS, ' ')}\n`;
    this.#publics.push({ address, size: 0, place: this.#texts.append(text) });
  }

  callFrames({ address, size, rules, changes }: CallFrameRecord): void {
    let text = `STACK CFI INIT ${hex(address)} ${hex(size)} ${rules}\n`;
    for (const change of changes) text += `STACK CFI ${hex(change.address)} ${change.rules}\n`;
    this.#frames.push({ address, size, place: this.#texts.append(text) });
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
    this.#windowsFrames.push({ address, size, place: this.#texts.append(text) });
  }

  /** What was collected, in numbers. */
  get counts() {
    return {
      functions: this.#functions.length,
      lines: this.#lineCount,
      publics: this.#publics.length,
      frames: this.#frames.length + this.#windowsFrames.length,
    };
  }

  /** Tests whether an address is in a function. Call it after the last function. */
  functionTest(): (address: number) => boolean {
    return coverageOf(this.#functions);
  }

  /** Tests whether an address has unwind rules so far. */
  frameTest(): (address: number) => boolean {
    return coverageOf(this.#frames);
  }

  /** The lines of the file, in portions of whole lines. `head` has MODULE and INFO. */
  *write(head: string): Generator<string> {
    yield head;
    for (const [path, number] of this.#files) yield `FILE ${number} ${path.replace(BREAKS, ' ')}\n`;
    for (const [name, number] of this.#origins) yield `INLINE_ORIGIN ${number} ${name.replace(BREAKS, ' ')}\n`;
    yield* this.#joined(merged(this.#withoutRepeats(this.#functions), this.#withoutRepeats(this.#publics)));
    // Of the rules that several sections have for a function, those sent first are the best.
    yield* this.#joined(firstOfEach(this.#frames));
    yield* this.#joined(this.#windowsFrames.sort((a, b) => a.address - b.address));
  }

  /** Removes what is kept on disk for a large file. Nothing can be written afterwards. */
  close(): void {
    this.#texts.close();
  }

  *#joined(records: Iterable<Stored>): Generator<string> {
    const portion = Buffer.allocUnsafe(PORTION);
    let used = 0;
    for (const { place } of records) {
      const text = this.#texts.read(place);
      if (used + text.length > PORTION) {
        yield portion.toString('utf8', 0, used);
        used = 0;
      }
      if (text.length > PORTION) yield text.toString('utf8');
      else used += text.copy(portion, used);
    }
    if (used > 0) yield portion.toString('utf8', 0, used);
  }

  #withoutRepeats(records: Stored[]): Stored[] {
    const order = (a: Stored, b: Stored) =>
      a.address - b.address || Buffer.compare(this.#texts.read(a.place), this.#texts.read(b.place));
    return records.sort(order).filter(({ address }, index) => address !== records[index - 1]?.address);
  }
}

function hex(number: number): string {
  return number.toString(16);
}

function coverageOf(records: readonly Stored[]): (address: number) => boolean {
  const sorted = records.toSorted((a, b) => a.address - b.address);
  return (address) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]!.address <= address) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low - 1];
    return found !== undefined && address < found.address + found.size;
  };
}

function numberOf(numbers: Map<string, number>, name: string): number {
  let number = numbers.get(name);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(name, number);
  }
  return number;
}

function firstOfEach(records: Stored[]): Stored[] {
  // Sorting is stable.
  const sorted = records.sort((a, b) => a.address - b.address);
  return sorted.filter(({ address }, index) => address !== sorted[index - 1]?.address);
}

function* merged(functions: readonly Stored[], publics: readonly Stored[]): Generator<Stored> {
  let next = 0;
  for (const each of functions) {
    while (next < publics.length && publics[next]!.address < each.address) yield publics[next++]!;
    yield each;
  }
  yield* publics.slice(next);
}
