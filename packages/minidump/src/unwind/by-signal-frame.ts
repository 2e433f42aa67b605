// Finds what a signal interrupted, on Linux and Android: the kernel puts all registers on the stack before it calls the handler.
import type { MemoryReader } from '../memory.ts';
import { known, type StackFrame, type Surroundings, type Technique } from './unwinder.ts';

/**
 * Where the kernel keeps the registers, seen from the stack pointer of the trampoline that the handler returns to. Compilers describe
 * the trampoline with expressions that Breakpad’s rules cannot hold, and without symbols it has no name: so it is known by what lies on
 * the stack, which no ordinary frame has. Layouts: `struct rt_sigframe` and `struct sigcontext` of Linux’ uapi headers.
 */
type Layout = {
  /** Offset of the first register of `names`. */
  readonly at: number;
  /** Registers one after the other; `-` for a word that is none. */
  readonly names: readonly string[];
  /** Whether the bytes at the stack pointer are such a frame. */
  isFrame(word: (offset: number, size?: 1 | 2 | 4 | 8) => bigint | undefined): boolean;
};

const isSignal = (value: bigint | undefined) => value !== undefined && value >= 1n && value <= 64n;

const AMD64: Layout = {
  at: 40,
  names: 'r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip'.split(' '),
  // After the registers and the flags stand cs, gs, fs and, on kernels since 4.6, ss; user code runs with 0x33, 0 and 0.
  isFrame: (word) => {
    const segments = word(40 + 18 * 8);
    return segments !== undefined && (segments & 0xffff_ffff_ffffn) === 0x33n;
  },
};

const X86_NAMES = 'edi esi ebp esp ebx edx ecx eax - - eip'.split(' ');
/** User code of 32 bits runs in segment 0x73, and on a kernel of 64 bits in 0x23. */
const isUserSegment = (cs: bigint | undefined) => cs === 0x23n || cs === 0x73n;

/** A handler that takes the signal’s number only. */
const X86: Layout = {
  at: 4 + 16,
  names: X86_NAMES,
  isFrame: (word) => isSignal(word(0)) && isUserSegment(word(4 + 60, 2)),
};

/** A handler with `SA_SIGINFO`: number, two pointers, 128 bytes about the signal, then the context. */
const X86_INFO: Layout = {
  at: 12 + 128 + 20 + 16,
  names: X86_NAMES,
  isFrame: (word) => isSignal(word(0)) && isUserSegment(word(12 + 128 + 20 + 60, 2)),
};

const ARM_NAMES = 'r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 fp r12 sp lr pc'.split(' ');
/** The lowest bits of the status are the mode, 16 for user code. */
const isUserMode = (status: bigint | undefined) => status !== undefined && (status & 0x1fn) === 0x10n;

const ARM: Layout = {
  at: 20 + 12,
  names: ARM_NAMES,
  isFrame: (word) => isUserMode(word(20 + 12 + 64)) && word(0) === 0x5ac3c35an,
};

const ARM_INFO: Layout = {
  at: 128 + 20 + 12,
  names: ARM_NAMES,
  isFrame: (word) => isSignal(word(0)) && word(4) === 0n && isUserMode(word(128 + 20 + 12 + 64)),
};

/** Begins the record of the floating-point registers, which the kernel writes behind the others: `FPSIMD_MAGIC`. */
const ARM64_FLOATS = 0x4650_8001n;

const ARM64: Layout = {
  at: 128 + 176 + 8,
  names: [...Array.from({ length: 29 }, (_, number) => `x${number}`), 'fp', 'lr', 'sp', 'pc'],
  // What stands before the context is of no use: without `SA_SIGINFO` the kernel leaves those 128 bytes as they were.
  isFrame: (word) => word(128 + 176 + 288, 4) === ARM64_FLOATS,
};

const LAYOUTS = { x86: [X86, X86_INFO], amd64: [AMD64], arm: [ARM, ARM_INFO], arm64: [ARM64] } as const;

export const bySignalFrame: Technique = (frame, around) => {
  const { os, cpu } = around;
  if (frame.interrupted || (os !== 'linux' && os !== 'android')) return undefined;
  for (const layout of LAYOUTS[cpu.name]) {
    const registers = readFrame(frame, layout, around);
    if (registers !== undefined) return { registers, trust: 'signal', interrupted: true };
  }
  return undefined;
};

function readFrame(frame: StackFrame, layout: Layout, around: Surroundings): Map<string, bigint> | undefined {
  const { cpu, memory } = around;
  const sp = known(frame, cpu.stackPointer);
  const word = (offset: number, size: 1 | 2 | 4 | 8 = cpu.wordSize) => memory.word(sp + BigInt(offset), size);
  if (!layout.isFrame(word)) return undefined;
  const registers = new Map<string, bigint>();
  for (const [index, name] of layout.names.entries()) {
    const value = word(layout.at + index * cpu.wordSize);
    if (value === undefined) return undefined;
    if (name !== '-') registers.set(name, value);
  }
  return isPlausible(registers, around, memory) ? registers : undefined;
}

/** The interrupted code had a stack that is in the dump. */
function isPlausible(registers: Map<string, bigint>, { cpu }: Surroundings, memory: MemoryReader): boolean {
  const sp = registers.get(cpu.stackPointer)!;
  return sp % BigInt(cpu.wordSize) === 0n && memory.word(sp, cpu.wordSize) !== undefined;
}
