// Looks for a return address on the stack, word by word: the last resort, where nothing says how a function laid out its frame.
import type { StackFrame, Surroundings } from './unwinder.ts';

/** Words that are looked at for the caller of a frame that was itself guessed. */
const WORDS = 40;
/** Behind a frame that is sure, code without symbols may follow, such as a JIT’s, and a longer look pays. */
const WORDS_BEHIND_SURE = 160;

/** Characters of names that are read as fast as a word of the stack. */
const NAME_CHARACTERS_PER_STEP = 64;

export type Hit = {
  /** Where on the stack it was found. */
  readonly at: bigint;
  readonly returnAddress: bigint;
};

export function wordsToScan({ trust, interrupted }: StackFrame): number {
  return interrupted || trust === 'cfi' ? WORDS_BEHIND_SURE : WORDS;
}

/** The first of `words` words at `start` that could be a return address. */
export function scan(start: bigint, words: number, around: Surroundings): Hit | undefined {
  const { cpu, memory, budget } = around;
  const size = BigInt(cpu.wordSize);
  for (let at = start, left = words; left > 0; at += size, left -= 1) {
    budget.steps -= 1;
    const returnAddress = memory.word(at, cpu.wordSize);
    if (returnAddress === undefined || budget.steps < 0) return undefined;
    if (isReturnAddress(returnAddress, around)) return { at, returnAddress };
  }
  return undefined;
}

/**
 * Whether a call could return to `address`: it lies in a module, and in a function of it where the module’s functions are known.
 * What counts is the byte before: a call that never returns may be the last instruction of its function. It is never the last of its module, whose
 * code does not go on up to another module's first byte: a stack holds the base of the dynamic loader, which Linux maps right behind the kernel's code.
 */
export function isReturnAddress(address: bigint, { modules, symbolsOf, budget }: Surroundings): boolean {
  if (address < 2n) return false;
  const module = modules.at(address - 1n);
  if (module === undefined || modules.at(address) !== module) return false;
  const symbols = symbolsOf(module);
  if (symbols === undefined) return true;
  const place = symbols.placeAt(Number(address - 1n - module.base));
  if (place === undefined) return false;
  // Reading long names takes time, and a stack may lead to the same ones at each word.
  const textSize = place.inlines.reduce((sum, inline) => sum + inline.function.length, place.function.length);
  budget.steps -= Math.floor(textSize / NAME_CHARACTERS_PER_STEP);
  return true;
}
