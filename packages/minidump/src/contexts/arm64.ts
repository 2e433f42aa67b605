// The arm64 registers, and the two layouts of the context: Microsoft's, and Breakpad's older one.
import type { Cpu } from './cpu.ts';
import { checkFlags, readRuns } from './layout.ts';

const CONTEXT_ARM64 = 0x0040_0000;
const CONTEXT_ARM64_OLD = 0x8000_0000;

const NUMBERED = Array.from({ length: 29 }, (_, number) => `x${number}`);
const NAMES = [...NUMBERED, 'fp', 'lr', 'sp', 'pc'];

export const ARM64: Cpu = {
  name: 'arm64',
  wordSize: 8,
  instructionPointer: 'pc',
  stackPointer: 'sp',
  framePointer: 'fp',
  registers: NAMES,
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
    return readRuns(bytes, 8, [{ at: 8, names: NAMES }]);
  },
};
