// Unwinds 32-bit ARM stacks.
import { byCfi } from './by-cfi.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { byLinkRegister, byScan } from './scan.ts';
import { stackOfFrame, type Technique, type Unwinder } from './unwinder.ts';

/**
 * Follows the chain of frame pointers, only on iOS: there, r7 always points to the caller's saved r7, with the return
 * address above it (Apple's ARMv7 function calling conventions). On other systems, compilers use r11 in different ways.
 */
const byFramePointer: Technique = (frame, context) => {
  const r7 = frame.registers.get('r7');
  if (context.os !== 'ios' || r7 === undefined) return undefined;
  if (r7 === 0n) return 'end';
  const stack = stackOfFrame(frame, context);
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
  // The lowest bit of a code address marks Thumb code.
  clean: (address) => address & ~1n,
  // The shortest call is a 2-byte Thumb instruction.
  callSize: 2n,
};
