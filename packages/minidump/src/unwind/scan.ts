// The techniques that find a caller if nothing describes the layout of a frame: a return address in the link register or
// at the top of the stack, and the last resort, a search of the stack, word by word.
import {
  isOutsideCode,
  requireRegister,
  type StackFrame,
  stackOfFrame,
  type Technique,
  type UnwindContext,
} from './unwinder.ts';

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

// Finds a caller on ARM by a stack scan, which only recovers the return address.

export const byScan: Technique = (frame, context) => {
  const { cpu } = context;
  const { start } = stackOfFrame(frame, context);
  let hit = scan(start, wordsToScan(frame), context);
  // A supposed leaf may have saved its return address after all. That would find this frame again.
  if (frame.trust === 'leaf' && hit?.returnAddress === requireRegister(frame, cpu.instructionPointer)) {
    hit = scan(hit.at + BigInt(cpu.wordSize), wordsToScan(frame), context);
  }
  if (hit === undefined) return undefined;
  const registers = new Map([
    [cpu.instructionPointer, hit.returnAddress],
    [cpu.stackPointer, hit.at + BigInt(cpu.wordSize)],
  ]);
  return { registers, trust: 'scan' };
};

// Finds a caller on x86 and amd64 by a stack scan. Also recovers the caller's frame pointer, which helps to find the
// next caller by a more reliable technique.

/** Hardly any frame is larger, in bytes. Breakpad uses the same limit. */
const MAX_FRAME_SIZE = 128n * 1024n;

export const byIntelScan: Technique = (frame, context) => {
  const { cpu } = context;
  const { start } = stackOfFrame(frame, context);
  const hit = scan(start, wordsToScan(frame), context);
  if (hit === undefined) return undefined;
  const registers = new Map([
    [cpu.instructionPointer, hit.returnAddress],
    [cpu.stackPointer, hit.at + BigInt(cpu.wordSize)],
  ]);
  // At the very top of the stack, there is no room for a saved frame pointer.
  const framePointer = hit.at === start ? undefined : recoverFramePointer(frame, hit.at, context);
  if (framePointer !== undefined) registers.set(cpu.framePointer, framePointer);
  return { registers, trust: 'scan' };
};

/** A function either saves its caller's frame pointer right below the return address, or does not change the register. */
function recoverFramePointer(frame: StackFrame, at: bigint, context: UnwindContext): bigint | undefined {
  const { cpu } = context;
  const stack = stackOfFrame(frame, context);
  const savedAt = at - BigInt(cpu.wordSize);
  const saved = stack.word(savedAt, cpu.wordSize);
  const current = frame.registers.get(cpu.framePointer);
  if (saved === undefined) return undefined;
  const isOnStack = (value: bigint) => stack.word(value, cpu.wordSize) !== undefined;
  // Most amd64 code has no frame pointers, so this word is one only if the register points to it.
  const isFramePointer = cpu.wordSize === 4 || current === savedAt;
  if (isFramePointer && saved > at && saved - savedAt <= MAX_FRAME_SIZE) return isOnStack(saved) ? saved : undefined;
  return current !== undefined && current > at && isOnStack(current) ? current : undefined;
}

// Finds a caller on ARM by the link register, for a function that has not (or not yet) saved its return address.

/**
 * Only applies to a frame that was interrupted. The link register can also be left over from a call that has returned,
 * and then it points into the running function itself: see `mayBeLeaf`.
 */
export const byLinkRegister: Technique = (frame, context) => {
  const lr = frame.registers.get('lr');
  if (!frame.interrupted || lr === undefined || !mayBeLeaf(frame, lr, context)) return undefined;
  const registers = new Map(frame.registers);
  registers.set(context.cpu.instructionPointer, lr);
  registers.delete('lr');
  return { registers, trust: 'leaf' };
};

/**
 * After a call through an invalid pointer, the link register contains the return address. Inside code, it is the return
 * address if it points into another module, or into another function if both functions are known: no call from here
 * could have left such a value. A function that has stored its frame record is not a leaf.
 */
function mayBeLeaf(frame: StackFrame, lr: bigint, context: UnwindContext): boolean {
  if (!isReturnAddress(lr, context)) return false;
  if (frame.module === undefined) return isOutsideCode(frame, context);
  if (hasFrameRecord(frame, lr, context)) return false;
  const module = context.modules.at(lr - 1n)!;
  if (module !== frame.module) return true;
  const caller = context.symbolsOf(module)?.placeAt(Number(lr - 1n - module.base));
  return caller !== undefined && frame.place !== undefined && caller.functionStart !== frame.place.functionStart;
}

function hasFrameRecord(frame: StackFrame, lr: bigint, { cpu, memory }: UnwindContext): boolean {
  const fp = requireRegister(frame, cpu.framePointer);
  return memory.word(fp + BigInt(cpu.wordSize), cpu.wordSize) === lr;
}

// Finds a caller on x86 and amd64 by the word at the stack pointer, for a function without a frame.

/** A function without a frame has changed no callee-saved registers, so the caller has the same values. */
export const byTopOfStack: Technique = (frame, context) => {
  if (!frame.interrupted || !mayBeFrameless(frame, context)) return undefined;
  const { cpu, memory } = context;
  const sp = requireRegister(frame, cpu.stackPointer);
  const returnAddress = memory.word(sp, cpu.wordSize);
  if (returnAddress === undefined || !isReturnAddress(returnAddress, context)) return undefined;
  const registers = new Map(frame.registers);
  registers.set(cpu.instructionPointer, returnAddress);
  registers.set(cpu.stackPointer, sp + BigInt(cpu.wordSize));
  return { registers, trust: 'leaf' };
};

/**
 * On 64-bit Windows, only functions that change neither the stack nor callee-saved registers have no unwind data (leaf
 * functions in Microsoft's x64 documentation). On other systems, only a call through an invalid pointer has no frame: it
 * has pushed nothing but the return address.
 */
function mayBeFrameless(frame: StackFrame, context: UnwindContext): boolean {
  return isOutsideCode(frame, context) || (context.os === 'windows' && context.cpu.wordSize === 8);
}
