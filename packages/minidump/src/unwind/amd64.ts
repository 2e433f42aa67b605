// Unwinds amd64 stacks.
import { byCfi } from './by-cfi.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { byIntelScan, byTopOfStack } from './scan.ts';
import { requireRegister, stackOfFrame, type Technique, type Unwinder } from './unwinder.ts';

/**
 * Follows the chain of frame pointers: rbp points to the caller's saved rbp, and the return address is above it
 * (System V AMD64 ABI, "The Stack Frame"). Not used on Windows, where rbp can point anywhere into the frame and only the
 * unwind tables know where (Microsoft's documentation, "x64 exception handling").
 */
const byFramePointer: Technique = (frame, context) => {
  const rbp = frame.registers.get('rbp');
  if (context.os === 'windows' || rbp === undefined || rbp % 8n !== 0n) return undefined;
  const stack = stackOfFrame(frame, context);
  const callerRbp = stack.word(rbp, 8);
  const returnAddress = stack.word(rbp + 8n, 8);
  const callerRsp = rbp + 16n;
  if (callerRbp === undefined || returnAddress === undefined || !isCanonical(returnAddress)) return undefined;
  // The caller's frame must be above this one, and on the stack.
  if (callerRbp < callerRsp || stack.word(callerRbp, 8) === undefined) return undefined;
  if (callerRsp <= requireRegister(frame, 'rsp') || stack.word(callerRsp, 8) === undefined) return undefined;
  const caller = new Map([
    ['rip', returnAddress],
    ['rsp', callerRsp],
    ['rbp', callerRbp],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

/** Addresses have 48 bits, and the bits above them are copies of bit 47 (Intel SDM, "Canonical Addressing"). */
function isCanonical(address: bigint): boolean {
  return address <= 0x7fff_ffff_ffffn || address >= 0xffff_8000_0000_0000n;
}

export const AMD64_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byCfi, byTopOfStack, byFramePointer, byIntelScan],
  clean: (address) => address,
  callSize: 1n,
};
