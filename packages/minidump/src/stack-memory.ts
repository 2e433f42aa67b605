// Copies the memory at the stack pointer of a thread into the report, with the functions that its words point to.
import type { Bytes } from './bytes.ts';
import { toHex } from './describe.ts';
import type { ModuleMap } from './module-map.ts';
import type { Hex, StackMemory } from './report.ts';
import type { LoadedSymbols } from './symbols/loaded-symbols.ts';
import type { UnwindContext } from './unwind/unwinder.ts';

/**
 * Functions may use this many bytes below the stack pointer without moving it (System V ABI for amd64: the red zone;
 * Apple's arm64 has the same). On other systems, they are the remains of the last call.
 */
const RED_ZONE = 128n;
/** After a stack overflow, the stack pointer is in the guard pages, below the memory of the stack. */
const GUARD_SIZE = 0x10000n;
/** Approximate characters of a symbol in JSON, without its name. */
const SYMBOL_SIZE = 80;
/** Looking up a symbol costs about as much as this many steps of unwinding. */
const SYMBOL_STEPS = 100;

/**
 * Returns up to `maxBytes` of the stack, from slightly below the stack pointer upwards; null if the dump does not
 * contain it. Only symbols that the walk has loaded are used, so that no module counts as needed because of a stale
 * pointer. The names are charged to the budget of the walk, and left out when it is used up.
 */
export function readStackMemory(
  stackPointer: bigint,
  maxBytes: number,
  context: UnwindContext,
  loaded: LoadedSymbols,
): StackMemory | null {
  const { memory, cpu } = context;
  const wordSize = BigInt(cpu.wordSize);
  const sp = stackPointer - (stackPointer % wordSize);
  const region = memory.regionAtOrAbove(sp, GUARD_SIZE);
  if (region === undefined) return null;
  const first = sp - RED_ZONE > region.start ? sp - RED_ZONE : alignUp(region.start, wordSize);
  const count = Math.min(
    Math.floor(maxBytes / cpu.wordSize),
    Number((region.start + BigInt(region.bytes.size) - first) / wordSize),
  );
  if (count <= 0) return null;
  const words = copyWords(region.bytes, Number(first - region.start), count, cpu.wordSize);
  return {
    start: toHex(first, cpu.wordSize),
    word_size: cpu.wordSize,
    words: words.toString('hex'),
    symbols: symbolsOf(words, context, loaded),
  };
}

/** A copy of the words with the most significant byte of each first. */
function copyWords(bytes: Bytes, at: number, count: number, wordSize: 4 | 8): Buffer {
  const words = Buffer.from(bytes.window(at, count * wordSize).array);
  if (!bytes.littleEndian) return words;
  return wordSize === 8 ? words.swap64() : words.swap32();
}

function symbolsOf(
  words: Buffer,
  { modules, cpu, budget }: UnwindContext,
  loaded: LoadedSymbols,
): StackMemory['symbols'] {
  const symbols: { word: number; function: string; function_offset: Hex }[] = [];
  for (const [index, word] of pointersIn(words, cpu.wordSize, modules)) {
    const module = modules.at(word);
    if (module === undefined || loaded.outcome(module)?.state !== 'loaded') continue;
    if (budget.steps < SYMBOL_STEPS) break;
    budget.steps -= SYMBOL_STEPS;
    const offset = Number(word - module.base);
    const place = loaded.of(module)?.placeAt(offset);
    if (place?.function === undefined) continue;
    const size = SYMBOL_SIZE + 2 * place.function.length;
    if (budget.output < size) break;
    budget.output -= size;
    symbols.push({
      word: index,
      function: place.function,
      function_offset: toHex(offset - place.functionStart, cpu.wordSize),
    });
  }
  return symbols;
}

/**
 * The words that can be addresses in a module, with their numbers. Most words of a stack are too small or too large: the
 * upper halves of both bounds rule these out without creating a BigInt.
 */
function* pointersIn(words: Buffer, wordSize: 4 | 8, modules: ModuleMap): Generator<[index: number, word: bigint]> {
  const [lowest, highest] = [upperHalf(modules.start), upperHalf(modules.end)];
  for (let at = 0; at < words.length; at += wordSize) {
    if (wordSize === 4) yield [at / wordSize, BigInt(words.readUInt32BE(at))];
    else {
      const upper = words.readUInt32BE(at);
      if (upper >= lowest && upper <= highest) yield [at / wordSize, words.readBigUInt64BE(at)];
    }
  }
}

function upperHalf(address: bigint): number {
  return Number(address >> 32n);
}

function alignUp(address: bigint, size: bigint): bigint {
  return ((address + size - 1n) / size) * size;
}
