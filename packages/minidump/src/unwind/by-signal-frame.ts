// Finds the frame that a signal interrupted, on Linux and Android: the kernel saves all registers on the stack before it
// calls the signal handler.
import type { MemoryReader } from '../memory.ts';
import { requireRegister, type StackFrame, type Technique, type UnwindContext } from './unwinder.ts';

/**
 * Where the kernel saves the registers, relative to the stack pointer of the trampoline to which the handler returns.
 *
 * Compilers describe the trampoline with DWARF expressions that Breakpad's rules cannot represent, and without symbols it
 * has no name. So it is recognized by its data on the stack, which no ordinary frame has. The layouts are those of
 * `struct rt_sigframe` and `struct sigcontext` in Linux's uapi headers.
 */
type Layout = {
  /** Offset of the first register of `names`. */
  readonly at: number;
  /** The consecutive registers; `-` for a word that is not a register. */
  readonly names: readonly string[];
  /** Whether the data at the stack pointer is a signal frame. */
  isFrame(word: (offset: number, size?: 1 | 2 | 4 | 8) => bigint | undefined): boolean;
};

const isSignal = (value: bigint | undefined) => value !== undefined && value >= 1n && value <= 64n;

const AMD64: Layout = {
  at: 40,
  names: 'r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip'.split(' '),
  // The registers and the flags are followed by cs, gs, fs and (since Linux 4.6) ss: 0x33, 0 and 0 for user code.
  isFrame: (word) => {
    const segments = word(40 + 18 * 8);
    return segments !== undefined && (segments & 0xffff_ffff_ffffn) === 0x33n;
  },
};

const X86_NAMES = 'edi esi ebp esp ebx edx ecx eax - - eip'.split(' ');
/** 32-bit user code runs in segment 0x73, or in segment 0x23 on a 64-bit kernel. */
const isUserSegment = (cs: bigint | undefined) => cs === 0x23n || cs === 0x73n;

/** The frame of a handler without `SA_SIGINFO`, which only gets the signal number. */
const X86: Layout = {
  at: 4 + 16,
  names: X86_NAMES,
  isFrame: (word) => isSignal(word(0)) && isUserSegment(word(4 + 60, 2)),
};

/** The frame of a handler with `SA_SIGINFO`: number, two pointers, 128 bytes of `siginfo`, then the context. */
const X86_INFO: Layout = {
  at: 12 + 128 + 20 + 16,
  names: X86_NAMES,
  isFrame: (word) => isSignal(word(0)) && isUserSegment(word(12 + 128 + 20 + 60, 2)),
};

const ARM_NAMES = 'r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 fp r12 sp lr pc'.split(' ');
/** The lowest bits of the status register are the CPU mode, which is 16 for user code. */
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

/** `FPSIMD_MAGIC`: starts the floating-point registers, which follow the general registers. */
const FPSIMD_MAGIC = 0x4650_8001n;

const ARM64: Layout = {
  at: 128 + 176 + 8,
  names: [...Array.from({ length: 29 }, (_, number) => `x${number}`), 'fp', 'lr', 'sp', 'pc'],
  // The 128 bytes of `siginfo` before the context cannot be checked: without `SA_SIGINFO` the kernel does not set them.
  isFrame: (word) => word(128 + 176 + 288, 4) === FPSIMD_MAGIC,
};

const LAYOUTS = { x86: [X86, X86_INFO], amd64: [AMD64], arm: [ARM, ARM_INFO], arm64: [ARM64] } as const;

export const bySignalFrame: Technique = (frame, context) => {
  const { os, cpu } = context;
  if (frame.interrupted || (os !== 'linux' && os !== 'android')) return undefined;
  for (const layout of LAYOUTS[cpu.name]) {
    const registers = readFrame(frame, layout, context);
    if (registers !== undefined) return { registers, trust: 'signal', interrupted: true };
  }
  return undefined;
};

function readFrame(frame: StackFrame, layout: Layout, context: UnwindContext): Map<string, bigint> | undefined {
  const { cpu, memory } = context;
  const sp = requireRegister(frame, cpu.stackPointer);
  const word = (offset: number, size: 1 | 2 | 4 | 8 = cpu.wordSize) => memory.word(sp + BigInt(offset), size);
  if (!layout.isFrame(word)) return undefined;
  const registers = new Map<string, bigint>();
  for (const [index, name] of layout.names.entries()) {
    const value = word(layout.at + index * cpu.wordSize);
    if (value === undefined) return undefined;
    if (name !== '-') registers.set(name, value);
  }
  return isPlausible(registers, context, memory) ? registers : undefined;
}

/** Whether the stack of the interrupted code is in the dump. */
function isPlausible(registers: Map<string, bigint>, { cpu }: UnwindContext, memory: MemoryReader): boolean {
  const sp = registers.get(cpu.stackPointer)!;
  return sp % BigInt(cpu.wordSize) === 0n && memory.word(sp, cpu.wordSize) !== undefined;
}
