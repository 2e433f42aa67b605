// Walks a stack: from the registers of a thread to its frames, the innermost first.
import type { CpuName, Registers } from '../contexts/cpu.ts';
import { AMD64_UNWINDER } from './amd64.ts';
import { ARM_UNWINDER } from './arm.ts';
import { ARM64_UNWINDER } from './arm64.ts';
import { fitPlace } from './output-size.ts';
import type { Caller, StackFrame, Surroundings, Unwinder } from './unwinder.ts';
import { X86_UNWINDER } from './x86.ts';

const UNWINDERS: Readonly<Record<CpuName, Unwinder>> = {
  x86: X86_UNWINDER,
  amd64: AMD64_UNWINDER,
  arm: ARM_UNWINDER,
  arm64: ARM64_UNWINDER,
};

/** Where walking stops, whatever the stack holds. */
export type WalkLimits = {
  /** Of one thread. */
  readonly frames: number;
  /** Frames of one thread that were guessed by a scan. */
  readonly scannedFrames: number;
};

export type Walk = {
  readonly frames: readonly StackFrame[];
  /** Which limit ended it; undefined when the stack did. */
  readonly truncated: 'frames' | 'scans' | 'steps' | 'output' | undefined;
};

/** An address in the first page is null with an offset: nothing is called from there. */
const FIRST_PAGE = 0x1000n;

/** The frames of a thread that was stopped with these registers. */
export function walkStack(registers: Registers, around: Surroundings, limits: WalkLimits): Walk {
  const unwinder = UNWINDERS[around.cpu.name];
  const frames = [nameFrame({ registers, trust: 'context', interrupted: true }, unwinder, around)];
  let scanned = 0;
  while (true) {
    if (frames.length >= limits.frames) return { frames, truncated: 'frames' };
    if (scanned > limits.scannedFrames) return { frames, truncated: 'scans' };
    if (around.budget.output <= 0) return { frames, truncated: 'output' };
    const frame = frames.at(-1)!;
    const caller = findCaller(frame, frames.at(-2), unwinder, around);
    if (around.budget.steps < 0) return { frames, truncated: 'steps' };
    if (caller === undefined || !isProgress(caller, frame, around)) return { frames, truncated: undefined };
    if (caller.trust === 'scan' || caller.trust === 'cfi_scan') scanned += 1;
    frames.push(nameFrame(caller, unwinder, around));
  }
}

function findCaller(
  frame: StackFrame,
  callee: StackFrame | undefined,
  { techniques }: Unwinder,
  around: Surroundings,
): Caller | undefined {
  around.budget.steps -= techniques.length;
  for (const technique of techniques) {
    const found = technique(frame, around, callee);
    if (found === 'end') return undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the caller can be one: its stack pointer is above, since every call takes something of the stack. A function that was stopped before
 * it did, or one that keeps its return address in a register, has its caller’s; then at least the place must differ. After a
 * signal the stack may be another one altogether; the budget keeps even a circle of such frames short.
 */
function isProgress(caller: Caller, frame: StackFrame, { cpu, budget }: Surroundings): boolean {
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

/** Makes a circle of forged signal frames end after some thousand. */
const SIGNAL_FRAME_STEPS = 10_000;

/** Adds what the modules and their symbols say about the place. */
function nameFrame(
  { registers, trust, interrupted = false }: Omit<Caller, 'interrupted'> & { interrupted?: boolean },
  { clean, callSize }: Unwinder,
  around: Surroundings,
): StackFrame {
  const address = clean(registers.get(around.cpu.instructionPointer)!, around);
  const instruction = interrupted ? address : address - callSize;
  const module = around.modules.at(instruction);
  const symbols = module && around.symbolsOf(module);
  const place = fitPlace(module && symbols?.placeAt(Number(instruction - module.base)), registers, around.budget);
  return { registers, trust, interrupted, instruction, module, symbols, place };
}
