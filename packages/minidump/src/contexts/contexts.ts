// The supported CPUs: their registers, and where a context in a dump has them.

import type { Bytes } from '../bytes.ts';
import { MinidumpError } from '../error.ts';
import type { Cpu, CpuName } from './cpu.ts';

// The x86 registers, and the layout of Windows' CONTEXT, which Breakpad and Crashpad use on every OS.

const CONTEXT_I386 = 0x0001_0000;

/** The general registers follow the debug registers, the floating-point area and the segment registers. */
const X86_RUNS = [
  { at: 156, names: ['edi', 'esi', 'ebx', 'edx', 'ecx', 'eax', 'ebp', 'eip'] },
  { at: 192, names: ['efl', 'esp'] },
];

export const X86: Cpu = {
  name: 'x86',
  wordSize: 4,
  instructionPointer: 'eip',
  stackPointer: 'esp',
  framePointer: 'ebp',
  registers: ['eip', 'esp', 'ebp', 'ebx', 'esi', 'edi', 'eax', 'ecx', 'edx', 'efl'],
  calleeSaved: ['ebp', 'ebx', 'edi', 'esi'],
  aliases: new Map([['eflags', 'efl']]),
  readContext(bytes) {
    checkFlags(bytes.u32(0), CONTEXT_I386, 'x86');
    return readRuns(bytes, 4, X86_RUNS);
  },
};

// The amd64 registers, and the layout of Windows' CONTEXT.

const CONTEXT_AMD64 = 0x0010_0000;
/** The flags follow six words of home space for parameters (P1Home to P6Home). */
const FLAGS_AT = 48;

const AMD64_GENERAL = ['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'];
const AMD64_NUMBERED = ['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'];
const AMD64_RUNS = [{ at: 120, names: [...AMD64_GENERAL, ...AMD64_NUMBERED, 'rip'] }];

export const AMD64: Cpu = {
  name: 'amd64',
  wordSize: 8,
  instructionPointer: 'rip',
  stackPointer: 'rsp',
  framePointer: 'rbp',
  registers: ['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp', ...AMD64_NUMBERED, 'rip'],
  // On Windows, rsi and rdi are callee-saved too, but they are only known if a rule restores them.
  calleeSaved: ['rbx', 'rbp', 'r12', 'r13', 'r14', 'r15'],
  aliases: new Map(),
  readContext(bytes) {
    checkFlags(bytes.u32(FLAGS_AT), CONTEXT_AMD64, 'amd64');
    return readRuns(bytes, 8, AMD64_RUNS);
  },
};

// The 32-bit ARM registers, and the layout of Breakpad's context.

const CONTEXT_ARM = 0x4000_0000;
/** Windows on ARM writes a different flag, but the general registers are at the same offsets. */
const CONTEXT_ARM_WINDOWS = 0x0020_0000;

const ARM_NAMES = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'fp', 'r12', 'sp', 'lr', 'pc'];

const ARM: Cpu = {
  name: 'arm',
  wordSize: 4,
  instructionPointer: 'pc',
  stackPointer: 'sp',
  framePointer: 'fp',
  registers: ARM_NAMES,
  calleeSaved: ['r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'fp'],
  aliases: new Map([
    ['r11', 'fp'],
    ['r13', 'sp'],
    ['r14', 'lr'],
    ['r15', 'pc'],
  ]),
  readContext(bytes) {
    checkFlags(bytes.u32(0), CONTEXT_ARM | CONTEXT_ARM_WINDOWS, 'arm');
    return readRuns(bytes, 4, [{ at: 4, names: ARM_NAMES }]);
  },
};

// The arm64 registers, and the two layouts of the context: Microsoft's, and Breakpad's older one.

const CONTEXT_ARM64 = 0x0040_0000;
const CONTEXT_ARM64_OLD = 0x8000_0000;

const ARM64_NUMBERED = Array.from({ length: 29 }, (_, number) => `x${number}`);
const ARM64_NAMES = [...ARM64_NUMBERED, 'fp', 'lr', 'sp', 'pc'];

export const ARM64: Cpu = {
  name: 'arm64',
  wordSize: 8,
  instructionPointer: 'pc',
  stackPointer: 'sp',
  framePointer: 'fp',
  registers: ARM64_NAMES,
  calleeSaved: ['x19', 'x20', 'x21', 'x22', 'x23', 'x24', 'x25', 'x26', 'x27', 'x28', 'fp'],
  aliases: new Map([
    ['x29', 'fp'],
    ['x30', 'lr'],
    ['x31', 'sp'],
  ]),
  readContext(bytes) {
    // The old layout starts with 64-bit flags, the new one with 32-bit flags and the 32-bit CPSR. From the ninth byte,
    // where the registers start, both are the same. In a big-endian dump, the old flags are in the second word.
    const oldFlags = Number(bytes.u64(0) & 0xffff_ffffn);
    checkFlags(bytes.u32(0) | (oldFlags & CONTEXT_ARM64_OLD), CONTEXT_ARM64 | CONTEXT_ARM64_OLD, 'arm64');
    return readRuns(bytes, 8, [{ at: 8, names: ARM64_NAMES }]);
  },
};

export const CPUS: Readonly<Record<CpuName, Cpu>> = { x86: X86, amd64: AMD64, arm: ARM, arm64: ARM64 };

/** Consecutive registers of the same size, from the offset `at`. */
type Run = { readonly at: number; readonly names: readonly string[] };

/** Reads all runs. Each register has `wordSize` bytes. */
function readRuns(bytes: Bytes, wordSize: 4 | 8, runs: readonly Run[]): Map<string, bigint> {
  const registers = new Map<string, bigint>();
  for (const { at, names } of runs) {
    for (const [index, name] of names.entries()) {
      const offset = at + index * wordSize;
      registers.set(name, wordSize === 8 ? bytes.u64(offset) : BigInt(bytes.u32(offset)));
    }
  }
  return registers;
}

/** Throws a MinidumpError if the flags of a context do not name the expected CPU. */
function checkFlags(flags: number, expected: number, cpu: string): void {
  if ((flags & expected) !== 0) return;
  throw new MinidumpError('malformed', `the flags 0x${flags.toString(16)} are not those of an ${cpu} context`);
}
