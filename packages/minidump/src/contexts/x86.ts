// The x86 registers, and the layout of Windows' CONTEXT, which Breakpad and Crashpad use on every OS.
import type { Cpu } from './cpu.ts';
import { checkFlags, readRuns } from './layout.ts';

const CONTEXT_I386 = 0x0001_0000;

/** The general registers follow the debug registers, the floating-point area and the segment registers. */
const RUNS = [
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
    return readRuns(bytes, 4, RUNS);
  },
};
