// Unwinds amd64.
import { byCfi } from './by-cfi.ts';
import { byIntelScan } from './by-scan-intel.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { byTopOfStack } from './by-top-of-stack.ts';
import { known, stackOf, type Technique, type Unwinder } from './unwinder.ts';

/**
 * The chain of frame pointers: rbp points to the caller’s rbp, the return address stands above it.
 * Not on Windows, where rbp may point anywhere into the frame and only the unwind tables know where
 * (Microsoft’s document on exception handling for x64).
 */
const byFramePointer: Technique = (frame, around) => {
  const rbp = frame.registers.get('rbp');
  if (around.os === 'windows' || rbp === undefined || rbp % 8n !== 0n) return undefined;
  const stack = stackOf(frame, around);
  const callerRbp = stack.word(rbp, 8);
  const returnAddress = stack.word(rbp + 8n, 8);
  const callerRsp = rbp + 16n;
  if (callerRbp === undefined || returnAddress === undefined || !isCanonical(returnAddress)) return undefined;
  // The caller’s frame lies above this one, and on the stack.
  if (callerRbp < callerRsp || stack.word(callerRbp, 8) === undefined) return undefined;
  if (callerRsp <= known(frame, 'rsp') || stack.word(callerRsp, 8) === undefined) return undefined;
  const caller = new Map([
    ['rip', returnAddress],
    ['rsp', callerRsp],
    ['rbp', callerRbp],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

/** Addresses have 48 bits, the upper ones repeating the highest of them. */
function isCanonical(address: bigint): boolean {
  return address <= 0x7fff_ffff_ffffn || address >= 0xffff_8000_0000_0000n;
}

export const AMD64_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byCfi, byTopOfStack, byFramePointer, byIntelScan],
  clean: (address) => address,
  callSize: 1n,
};
