// The types of unwinding: a frame, the process that it belongs to, and the techniques that find its caller.
import type { Cpu, Registers } from '../contexts/cpu.ts';
import type { Memory, MemoryReader } from '../memory.ts';
import type { ModuleMap } from '../module-map.ts';
import type { Trust } from '../report.ts';
import type { Module } from '../streams/modules.ts';
import type { OsName } from '../streams/system-info.ts';
import type { CodePlace, ModuleSymbols } from '../symbols/module-symbols.ts';

/** A frame of a stack, with its module and function. */
export type StackFrame = {
  /** The known registers in this frame. Always contains the instruction pointer and the stack pointer. */
  readonly registers: Registers;
  readonly trust: Trust;
  /** Whether the crash or a signal interrupted the frame at any instruction, rather than at a call. */
  readonly interrupted: boolean;
  /** The address of the running instruction. For a caller, an address inside the call. */
  readonly instruction: bigint;
  readonly module: Module | undefined;
  readonly symbols: ModuleSymbols | undefined;
  readonly place: CodePlace | undefined;
};

/** The process that a stack belongs to, and the budget for walking it. */
export type UnwindContext = {
  readonly os: OsName;
  readonly cpu: Cpu;
  readonly modules: ModuleMap;
  readonly memory: Memory;
  /** Returns the module's symbols; undefined if they are missing or cannot be read. */
  symbolsOf(module: Module): ModuleSymbols | undefined;
  readonly budget: Budget;
};

/** What remains of the limits for the whole dump. The walk ends when one reaches 0. */
export type Budget = {
  /** Remaining work, in small steps: a character of a rule, a word of a scan. */
  steps: number;
  /** Approximate number of characters remaining in the report. */
  output: number;
};

/** A caller that a technique found. */
export type Caller = {
  readonly registers: Registers;
  readonly trust: Trust;
  /** Set if a signal interrupted the caller. It can then be on another stack, and at any instruction. */
  readonly interrupted?: true;
};

/**
 * Finds the caller of `frame`. Returns `end` if the frame certainly has no caller, and undefined to let the next
 * technique try. `callee` is the frame that `frame` called.
 */
export type Technique = (
  frame: StackFrame,
  context: UnwindContext,
  callee: StackFrame | undefined,
) => Caller | 'end' | undefined;

/** How to unwind stacks of one CPU. */
export type Unwinder = {
  /** In order, the most reliable first. */
  readonly techniques: readonly Technique[];
  /** Removes signatures and mode bits from an instruction pointer, leaving the address of the instruction. */
  clean(address: bigint, context: UnwindContext): bigint;
  /** The size of the shortest call instruction: this many bytes before a return address is always inside the call. */
  readonly callSize: bigint;
};

/** Returns a register that the frame must have. */
export function requireRegister(frame: StackFrame, name: string): bigint {
  const value = frame.registers.get(name);
  if (value === undefined) throw new Error(`a frame without ${name}`);
  return value;
}

/** After a stack overflow, the stack pointer can be in the guard pages, up to this many bytes below the stack. */
const GUARD_SIZE = 0x10000n;

/**
 * Returns the memory region of the frame's stack. It contains no other memory, so a frame pointer that leaves the stack
 * is not followed. Reading starts at the stack pointer or, after a stack overflow, at the lowest address in the dump: the
 * stack pointer can then be in the guard pages, which are not in the dump.
 */
export function stackOfFrame(
  frame: StackFrame,
  { cpu, memory }: UnwindContext,
): MemoryReader & { readonly start: bigint } {
  const sp = requireRegister(frame, cpu.stackPointer);
  const stack = memory.regionAtOrAbove(sp, frame.interrupted ? GUARD_SIZE : 1n);
  return {
    start: stack === undefined || stack.start < sp ? sp : stack.start,
    word: (address, size) =>
      stack !== undefined && memory.regionAt(address) === stack ? memory.word(address, size) : undefined,
  };
}

/**
 * Whether the instruction is at an address without code, after a call through a null or wild pointer. Memory outside all
 * modules that is in the dump does not count: it can be code from a JIT or on the stack. Dumps contain the bytes around
 * the crash if they are readable.
 */
export function isOutsideCode({ module, instruction }: StackFrame, { memory }: UnwindContext): boolean {
  return module === undefined && memory.regionAt(instruction) === undefined;
}
