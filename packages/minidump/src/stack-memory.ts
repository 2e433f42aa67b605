// Copies the memory at the stack pointer of a thread into the report, with the functions that its words point to.
import { toHex } from './describe.ts';
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
  const words: bigint[] = [];
  while (words.length < count) {
    const word = memory.word(first + BigInt(words.length) * wordSize, cpu.wordSize);
    if (word === undefined) break;
    words.push(word);
  }
  return {
    start: toHex(first, cpu.wordSize),
    word_size: cpu.wordSize,
    words: words.map((word) => word.toString(16).padStart(2 * cpu.wordSize, '0')).join(''),
    symbols: symbolsOf(words, context, loaded),
  };
}

function symbolsOf(
  words: readonly bigint[],
  { modules, cpu, budget }: UnwindContext,
  loaded: LoadedSymbols,
): StackMemory['symbols'] {
  const symbols: { word: number; function: string; function_offset: Hex }[] = [];
  for (const [index, word] of words.entries()) {
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

function alignUp(address: bigint, size: bigint): bigint {
  return ((address + size - 1n) / size) * size;
}
