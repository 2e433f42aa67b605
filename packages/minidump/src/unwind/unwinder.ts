// What unwinding works with: a frame, the process around it, and the techniques that find a frame’s caller.
import type { Cpu, Registers } from '../contexts/cpu.ts';
import type { Memory, MemoryReader } from '../memory.ts';
import type { ModuleMap } from '../module-map.ts';
import type { Trust } from '../report.ts';
import type { Module } from '../streams/modules.ts';
import type { OsName } from '../streams/system-info.ts';
import type { CodePlace, ModuleSymbols } from '../symbols/module-symbols.ts';

/** A frame of a stack, named. */
export type StackFrame = {
  /** All that is known of the registers as they were in the frame; the instruction and the stack pointer always are. */
  readonly registers: Registers;
  readonly trust: Trust;
  /** Whether the frame was stopped at an instruction of its own, by the crash or by a signal, and not at a call. */
  readonly interrupted: boolean;
  /** The instruction that was running; for a caller an address inside the call. */
  readonly instruction: bigint;
  readonly module: Module | undefined;
  readonly symbols: ModuleSymbols | undefined;
  readonly place: CodePlace | undefined;
};

/** The process that a stack belongs to. */
export type Surroundings = {
  readonly os: OsName;
  readonly cpu: Cpu;
  readonly modules: ModuleMap;
  readonly memory: Memory;
  /** The module’s symbols; undefined when there are none that can be read. */
  symbolsOf(module: Module): ModuleSymbols | undefined;
  readonly budget: Budget;
};

/** What is left for a whole dump. Reaching 0 ends the walk. */
export type Budget = {
  /** Work, in small steps: a token of a rule, a word of a scan. */
  steps: number;
  /** Characters of the report, roughly. */
  output: number;
};

/** A caller that a technique found. */
export type Caller = {
  readonly registers: Registers;
  readonly trust: Trust;
  /** Set where the caller was interrupted by a signal: it may be on another stack, and its instruction is no call. */
  readonly interrupted?: true;
};

/** Finds the caller of `frame`; `end` when the frame has none for certain; undefined when the next technique shall try. */
export type Technique = (
  frame: StackFrame,
  around: Surroundings,
  callee: StackFrame | undefined,
) => Caller | 'end' | undefined;

/** How stacks of a CPU are unwound. */
export type Unwinder = {
  /** The surest first. */
  readonly techniques: readonly Technique[];
  /** The address of an instruction that the instruction pointer stands for, without marks in its spare bits. */
  clean(address: bigint, around: Surroundings): bigint;
  /** How far before a return address it is sure to be inside the call. */
  readonly callSize: bigint;
};

/** A register that the frame is known to have. */
export function known(frame: StackFrame, name: string): bigint {
  const value = frame.registers.get(name);
  if (value === undefined) throw new Error(`a frame without ${name}`);
  return value;
}

/** Where a thread that has used up its stack may have its stack pointer: in the pages that guard it. */
const GUARD_SIZE = 0x10000n;

/**
 * The piece of memory that is the frame’s stack, and nothing else: a frame pointer that leads out of it is none. Its lowest address is never
 * below the stack pointer’s: after a stack overflow the pointer may lie in guard pages below all that could be dumped.
 */
export function stackOf(frame: StackFrame, { cpu, memory }: Surroundings): MemoryReader & { readonly start: bigint } {
  const sp = known(frame, cpu.stackPointer);
  const stack = memory.regionAtOrAbove(sp, frame.interrupted ? GUARD_SIZE : 1n);
  return {
    start: stack === undefined || stack.start < sp ? sp : stack.start,
    word: (address, size) =>
      stack !== undefined && memory.regionAt(address) === stack ? memory.word(address, size) : undefined,
  };
}

/**
 * Whether the frame was stopped where no code is: after a call through a null or wild pointer. Code in no module that is in the dump’s memory, made
 * by a JIT or written on the stack, may have run for a while; dumps hold the bytes around the crash wherever they can be read.
 */
export function isNowhere({ module, instruction }: StackFrame, { memory }: Surroundings): boolean {
  return module === undefined && memory.regionAt(instruction) === undefined;
}
