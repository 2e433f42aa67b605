// The amd64 registers, and the layout of Windows' CONTEXT.
import type { Cpu } from './cpu.ts';
import { checkFlags, readRuns } from './layout.ts';

const CONTEXT_AMD64 = 0x0010_0000;
/** The flags follow six words of home space for parameters (P1Home to P6Home). */
const FLAGS_AT = 48;

const GENERAL = ['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'];
const NUMBERED = ['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'];
const RUNS = [{ at: 120, names: [...GENERAL, ...NUMBERED, 'rip'] }];

export const AMD64: Cpu = {
  name: 'amd64',
  wordSize: 8,
  instructionPointer: 'rip',
  stackPointer: 'rsp',
  framePointer: 'rbp',
  registers: ['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp', ...NUMBERED, 'rip'],
  // On Windows, rsi and rdi are callee-saved too, but they are only known if a rule restores them.
  calleeSaved: ['rbx', 'rbp', 'r12', 'r13', 'r14', 'r15'],
  aliases: new Map(),
  readContext(bytes) {
    checkFlags(bytes.u32(FLAGS_AT), CONTEXT_AMD64, 'amd64');
    return readRuns(bytes, 8, RUNS);
  },
};
