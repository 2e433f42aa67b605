// Reads `.ARM.exidx` and `.ARM.extab`, which say how to unwind 32-bit ARM code that has no DWARF frames. Their layout is that
// of Arm's "Exception Handling ABI for the Arm Architecture".
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { viewOf } from '../pe/headers.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { describeInstructions } from './instructions.ts';

/** Returns bytes of the module, by an address relative to its start; undefined if they aren't there. */
export type ReadMemory = (address: number, length: number) => Uint8Array | undefined;

/** A range of addresses relative to the start of the module. */
export interface AddressRange {
  address: number;
  size: number;
}

const ENTRY_SIZE = 8;
const ENTRIES_PER_READ = 4096;
const CANNOT_UNWIND = 1;
/** How many bytes of instructions an entry may have, on average. Real ones have about six. */
const MAX_CODE_SIZE = 64;

/**
 * Writes rules for the functions in `.ARM.exidx`. The rules are those after the prologue: the format has none for the
 * prologue itself. `address` is where the section is, relative to the start of the module. `code` has the ranges of
 * executable sections, because the table only has the start of each function. Functions that cannot be unwound, and those
 * with damaged instructions, are left out. Throws a DebugSymbolsError if following the table would take too long.
 */
export function readExidx(
  exidx: ByteSource,
  address: number,
  readMemory: ReadMemory,
  code: readonly AddressRange[],
  sink: Pick<SymbolSink, 'callFrames'>,
): void {
  const ranges = code.toSorted((a, b) => a.address - b.address);
  let budget = MAX_CODE_SIZE * 1024;
  for (const entry of readEntries(exidx, address)) {
    const size = Math.min(entry.end, findEnd(ranges, entry.start)) - entry.start;
    if (size <= 0) continue;
    const instructions = findInstructions(entry, readMemory);
    budget += MAX_CODE_SIZE - (instructions?.length ?? 0);
    if (budget < 0) throw new DebugSymbolsError('too-large', 'the unwind information is too entangled');
    const rules = instructions && describeInstructions(instructions);
    if (rules !== undefined) sink.callFrames({ address: entry.start, size, rules, changes: [] });
  }
}

/** Returns where the last range ends that starts at or before an address; 0 if all start after it. */
function findEnd(ranges: readonly AddressRange[], address: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.address <= address) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range === undefined ? 0 : range.address + range.size;
}

interface Entry {
  start: number;
  /** Where the next function starts. */
  end: number;
  /** The second word, and where it is. */
  word: number;
  wordAt: number;
}

/** Returns the entries by ascending address. */
function* readEntries(exidx: ByteSource, address: number): Generator<Entry> {
  const count = Math.floor(exidx.size / ENTRY_SIZE);
  let previous: Entry | undefined;
  for (let first = 0; first < count; first += ENTRIES_PER_READ) {
    const bytes = Math.min(ENTRIES_PER_READ, count - first) * ENTRY_SIZE;
    const table = viewOf(exidx.read(first * ENTRY_SIZE, bytes));
    for (let at = 0; at < bytes; at += ENTRY_SIZE) {
      const entryAt = address + first * ENTRY_SIZE + at;
      // The lowest bit of an address says that the code is Thumb.
      const start = resolve(table.getUint32(at, true), entryAt) & ~1;
      if (previous !== undefined && start > previous.start) yield { ...previous, end: start };
      previous = { start, end: Number.POSITIVE_INFINITY, word: table.getUint32(at + 4, true), wordAt: entryAt + 4 };
    }
  }
  if (previous !== undefined) yield previous;
}

/** Returns the address that a word refers to: its lower 31 bits are the signed distance from the word itself. */
function resolve(word: number, at: number): number {
  return at + ((word << 1) >> 1);
}

/** Returns the unwind instructions of a function; undefined if it has none. */
function findInstructions({ word, wordAt }: Entry, readMemory: ReadMemory): Uint8Array | undefined {
  if (word === CANNOT_UNWIND) return undefined;
  // The upper bit says that the instructions are in the word itself, in its lower three bytes.
  if (word >>> 31) return word >>> 24 === 0x80 ? bytesOf([word], 1) : undefined;
  const at = resolve(word, wordAt);
  const first = readWords(readMemory, at, 1)?.[0];
  if (first === undefined) return undefined;
  if (first >>> 31 === 0) return readGeneric(readMemory, at + 4);
  switch (first >>> 24) {
    case 0x80:
      return bytesOf([first], 1);
    case 0x81:
    case 0x82:
      return readLong(readMemory, at, first, (first >>> 16) & 0xff, 2);
    default:
      return undefined;
  }
}

/**
 * Reads the instructions for a personality routine that the ABI doesn't define, such as GCC's for C++. They follow the address
 * of the routine. Their first byte is the number of words that follow.
 */
function readGeneric(readMemory: ReadMemory, at: number): Uint8Array | undefined {
  const first = readWords(readMemory, at, 1)?.[0];
  return first === undefined ? undefined : readLong(readMemory, at, first, first >>> 24, 1);
}

/** Reads the instructions in the rest of a word and in the words after it. */
function readLong(
  readMemory: ReadMemory,
  at: number,
  first: number,
  count: number,
  skip: number,
): Uint8Array | undefined {
  const more = readWords(readMemory, at + 4, count);
  return more && bytesOf([first, ...more], skip);
}

function readWords(readMemory: ReadMemory, at: number, count: number): number[] | undefined {
  if (count === 0) return [];
  const bytes = readMemory(at, count * 4);
  if (bytes === undefined || bytes.length < count * 4) return undefined;
  const view = viewOf(bytes);
  return Array.from({ length: count }, (_, index) => view.getUint32(index * 4, true));
}

/** Returns the bytes of words, from the most significant one on, without some at the start. */
function bytesOf(words: number[], skip: number): Uint8Array {
  return Uint8Array.from(
    words.flatMap((word) => [word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff]).slice(skip),
  );
}
