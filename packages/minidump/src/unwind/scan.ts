// Searches the stack for a return address, word by word: the last resort if nothing describes the layout of a frame.
import type { StackFrame, UnwindContext } from './unwinder.ts';

/** How many words to scan after a guessed frame. */
const MAX_WORDS = 40;
/** How many words to scan after a reliable frame. Code without symbols, such as JIT code, can follow it. */
const MAX_WORDS_AFTER_RELIABLE = 160;

/** Reading this many characters of names takes about as long as reading a word of the stack. */
const NAME_CHARACTERS_PER_STEP = 64;

type Hit = {
  /** The address on the stack. */
  readonly at: bigint;
  readonly returnAddress: bigint;
};

/** How many words to scan for the caller of the frame. */
export function wordsToScan({ trust, interrupted }: StackFrame): number {
  return interrupted || trust === 'cfi' ? MAX_WORDS_AFTER_RELIABLE : MAX_WORDS;
}

/** Finds the first of `words` words from `start` that could be a return address. */
export function scan(start: bigint, words: number, context: UnwindContext): Hit | undefined {
  const { cpu, memory, budget } = context;
  const size = BigInt(cpu.wordSize);
  for (let at = start, left = words; left > 0; at += size, left -= 1) {
    budget.steps -= 1;
    const returnAddress = memory.word(at, cpu.wordSize);
    if (returnAddress === undefined || budget.steps < 0) return undefined;
    if (isReturnAddress(returnAddress, context)) return { at, returnAddress };
  }
  return undefined;
}

/**
 * Whether a call could return to `address`: it is in a module and, if the module's functions are known, in a function.
 *
 * The byte before `address` decides, because a call that never returns can be the last instruction of its function. But a
 * call cannot be the last instruction of its module. This excludes the base of the dynamic loader, which Linux maps right
 * after the kernel's module and puts on the stack (`AT_BASE`).
 */
export function isReturnAddress(address: bigint, { modules, symbolsOf, budget }: UnwindContext): boolean {
  if (address < 2n) return false;
  const module = modules.at(address - 1n);
  if (module === undefined || modules.at(address) !== module) return false;
  const symbols = symbolsOf(module);
  if (symbols === undefined) return true;
  const place = symbols.placeAt(Number(address - 1n - module.base));
  if (place === undefined) return false;
  // Reading long names takes time, and every word of a stack can lead to the same ones.
  const textSize = place.inlines.reduce((sum, inline) => sum + inline.function.length, place.function?.length ?? 0);
  budget.steps -= Math.floor(textSize / NAME_CHARACTERS_PER_STEP);
  return true;
}
