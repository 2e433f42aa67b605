// amd64: registers and the layout of Windows’ CONTEXT for it.
import type { Cpu } from './cpu.ts';
import { checkFlags, readRuns } from './layout.ts';

const CONTEXT_AMD64 = 0x0010_0000;
/** After six words that a callee may spill its parameters to. */
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
  // Windows keeps rsi and rdi too; a rule that restores them says so, and without one they would only be carried along.
  calleeSaved: ['rbx', 'rbp', 'r12', 'r13', 'r14', 'r15'],
  aliases: new Map(),
  readContext(bytes) {
    checkFlags(bytes.u32(FLAGS_AT), CONTEXT_AMD64, 'amd64');
    return readRuns(bytes, 8, RUNS);
  },
};
