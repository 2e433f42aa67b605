// The 32-bit ARM registers, and the layout of Breakpad's context.
import type { Cpu } from './cpu.ts';
import { checkFlags, readRuns } from './layout.ts';

const CONTEXT_ARM = 0x4000_0000;
/** Windows on ARM writes a different flag, but the general registers are at the same offsets. */
const CONTEXT_ARM_WINDOWS = 0x0020_0000;

const NAMES = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'fp', 'r12', 'sp', 'lr', 'pc'];

export const ARM: Cpu = {
  name: 'arm',
  wordSize: 4,
  instructionPointer: 'pc',
  stackPointer: 'sp',
  framePointer: 'fp',
  registers: NAMES,
  calleeSaved: ['r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'fp'],
  aliases: new Map([
    ['r11', 'fp'],
    ['r13', 'sp'],
    ['r14', 'lr'],
    ['r15', 'pc'],
  ]),
  readContext(bytes) {
    checkFlags(bytes.u32(0), CONTEXT_ARM | CONTEXT_ARM_WINDOWS, 'arm');
    return readRuns(bytes, 4, [{ at: 4, names: NAMES }]);
  },
};
