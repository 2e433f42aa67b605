// Walks a stack: from the registers of a thread to its frames, innermost first.
import type { CpuName, Registers } from '../contexts/cpu.ts';
import type { CodePlace } from '../symbols/module-symbols.ts';
import { AMD64_UNWINDER } from './amd64.ts';
import { ARM_UNWINDER } from './arm.ts';
import { ARM64_UNWINDER } from './arm64.ts';
import { wordsToScan } from './scan.ts';
import {
  type Budget,
  type Caller,
  type StackFrame,
  stackOfFrame,
  type UnwindContext,
  type Unwinder,
} from './unwinder.ts';
import { X86_UNWINDER } from './x86.ts';

const UNWINDERS: Readonly<Record<CpuName, Unwinder>> = {
  x86: X86_UNWINDER,
  amd64: AMD64_UNWINDER,
  arm: ARM_UNWINDER,
  arm64: ARM64_UNWINDER,
};

/** Limits for walking one thread. */
export type WalkLimits = {
  /** Maximum number of frames in a thread. */
  readonly frames: number;
  /** Maximum number of frames in a thread that are found by a stack scan. */
  readonly scannedFrames: number;
};

export type Walk = {
  readonly frames: readonly StackFrame[];
  /** The limit that ended the walk; undefined if the stack ended. */
  readonly truncated: 'frames' | 'scans' | 'steps' | 'output' | undefined;
  /** Set if nothing describes the last frame, and the stack goes on above what was searched for its caller. */
  readonly incomplete?: boolean;
};

/** An address in the first page is a null pointer with an offset, so it is not a return address. */
const FIRST_PAGE = 0x1000n;

/** Returns the frames of a thread that was stopped with these registers. */
export function walkStack(registers: Registers, context: UnwindContext, limits: WalkLimits): Walk {
  const unwinder = UNWINDERS[context.cpu.name];
  const frames = [nameFrame({ registers, trust: 'context', interrupted: true }, unwinder, context)];
  let scanned = 0;
  while (true) {
    if (frames.length >= limits.frames) return { frames, truncated: 'frames' };
    if (scanned > limits.scannedFrames) return { frames, truncated: 'scans' };
    if (context.budget.output <= 0) return { frames, truncated: 'output' };
    const frame = frames.at(-1)!;
    const caller = findCaller(frame, frames.at(-2), unwinder, context);
    if (context.budget.steps < 0) return { frames, truncated: 'steps' };
    if (caller === 'end') return { frames, truncated: undefined };
    if (caller === undefined || !makesProgress(caller, frame, context))
      return { frames, truncated: undefined, incomplete: isIncomplete(frame, context) };
    if (caller.trust === 'scan' || caller.trust === 'cfi_scan') scanned += 1;
    frames.push(nameFrame(caller, unwinder, context));
  }
}

function findCaller(
  frame: StackFrame,
  callee: StackFrame | undefined,
  { techniques }: Unwinder,
  context: UnwindContext,
): Caller | 'end' | undefined {
  context.budget.steps -= techniques.length;
  for (const technique of techniques) {
    const caller = technique(frame, context, callee);
    if (caller !== undefined) return caller;
  }
  return undefined;
}

/**
 * Whether the stack goes on, but the module of the last frame has no rules that find its caller. The outermost function
 * of a thread is near the end of the stack, and a search of the stack gets there.
 */
function isIncomplete(frame: StackFrame, context: UnwindContext): boolean {
  const { module, symbols, instruction, registers } = frame;
  if (module === undefined) return false;
  const offset = Number(instruction - module.base);
  if (symbols?.cfiAt(offset) !== undefined || symbols?.stackWinAt(offset) !== undefined) return false;
  const { wordSize, stackPointer } = context.cpu;
  const searched = BigInt(wordsToScan(frame) * wordSize);
  return stackOfFrame(frame, context).word(registers.get(stackPointer)! + searched, wordSize) !== undefined;
}

/**
 * Whether the caller is plausible: its stack pointer must be higher, because every call uses some stack. An interrupted
 * function that has not used any stack yet, or that keeps its return address in a register, has the same stack pointer as
 * its caller; then at least the instruction must differ. The frame that a signal interrupted can be on any stack; the
 * budget ends a cycle of such frames.
 */
function makesProgress(caller: Caller, frame: StackFrame, { cpu, budget }: UnwindContext): boolean {
  if (caller.interrupted) {
    budget.steps -= SIGNAL_FRAME_STEPS;
    return true;
  }
  const pc = caller.registers.get(cpu.instructionPointer)!;
  const sp = caller.registers.get(cpu.stackPointer)!;
  const calleeSp = frame.registers.get(cpu.stackPointer)!;
  if (pc < FIRST_PAGE || sp < calleeSp) return false;
  return sp > calleeSp || (frame.interrupted && pc !== frame.registers.get(cpu.instructionPointer));
}

/** Cost of a signal frame: a cycle of forged signal frames ends after a few thousand. */
const SIGNAL_FRAME_STEPS = 10_000;

/** Adds the module and the function of the instruction. */
function nameFrame(
  { registers, trust, interrupted = false }: Omit<Caller, 'interrupted'> & { interrupted?: boolean },
  { clean, callSize }: Unwinder,
  context: UnwindContext,
): StackFrame {
  const address = clean(registers.get(context.cpu.instructionPointer)!, context);
  const instruction = interrupted ? address : address - callSize;
  const module = context.modules.at(instruction);
  const symbols = module && context.symbolsOf(module);
  const place = fitPlace(module && symbols?.placeAt(Number(instruction - module.base)), registers, context.budget);
  return { registers, trust, interrupted, instruction, module, symbols, place };
}

// The size of frames in the JSON report is limited: symbol files can contain long names, and a stack can repeat them.

/** Characters for a frame without names and registers, an inlined function without names, and a register. */
const FRAME_SIZE = 500;
const INLINE_SIZE = 40;
const REGISTER_SIZE = 30;

/**
 * Subtracts the size of the frame from the budget. If the frame does not fit, leaves out the inlined functions first,
 * then all names. The budget is then below 0, which ends the walk.
 */
function fitPlace(place: CodePlace | undefined, registers: Registers, budget: Budget): CodePlace | undefined {
  const size = FRAME_SIZE + registers.size * REGISTER_SIZE;
  if (place === undefined) {
    budget.output -= size;
    return undefined;
  }
  const own = size + sizeOf(place);
  const all = place.inlines.reduce((sum, inline) => sum + INLINE_SIZE + sizeOf(inline), own);
  if (all <= budget.output) {
    budget.output -= all;
    return place;
  }
  const fits = own <= budget.output;
  budget.output = -1;
  return fits ? { ...place, inlines: [], hasMoreInlines: place.inlines.length > 0 } : undefined;
}

function sizeOf({ function: name = '', file }: Pick<CodePlace, 'function' | 'file'>): number {
  return escapedSize(name) + (file === undefined ? 0 : escapedSize(file));
}

/** Estimates the length in JSON: control characters need six characters, quotes and backslashes two. */
function escapedSize(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  if (/[\u0000-\u001f]/.test(text)) return 6 * text.length;
  return /["\\]/.test(text) ? 2 * text.length : text.length;
}
