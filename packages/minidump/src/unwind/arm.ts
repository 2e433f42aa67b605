// Unwinds 32-bit ARM.
import { byCfi } from './by-cfi.ts';
import { byLinkRegister } from './by-link-register.ts';
import { byScan } from './by-scan.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { stackOf, type Technique, type Unwinder } from './unwinder.ts';

/**
 * The chain of frame pointers, on iOS alone: there r7 always points to the caller’s r7 with the return address above (Apple’s ABI for
 * ARMv7). Elsewhere r11 is what the compiler makes of it.
 */
const byFramePointer: Technique = (frame, around) => {
  const r7 = frame.registers.get('r7');
  if (around.os !== 'ios' || r7 === undefined) return undefined;
  if (r7 === 0n) return 'end';
  const stack = stackOf(frame, around);
  const callerR7 = stack.word(r7, 4);
  const returnAddress = stack.word(r7 + 4n, 4);
  if (callerR7 === undefined || returnAddress === undefined) return undefined;
  const caller = new Map([
    ['pc', returnAddress],
    ['sp', BigInt.asUintN(32, r7 + 8n)],
    ['r7', callerR7],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

export const ARM_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byCfi, byLinkRegister, byFramePointer, byScan],
  // The lowest bit of an address says that the code there is Thumb.
  clean: (address) => address & ~1n,
  // The shortest call, of Thumb, has 2 bytes.
  callSize: 2n,
};
