// Unwinds x86 stacks.
import { byCfi } from './by-cfi.ts';
import { byIntelScan } from './by-scan-intel.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { byStackWin } from './by-stack-win.ts';
import { bySyscallStub } from './by-syscall-stub.ts';
import { byTopOfStack } from './by-top-of-stack.ts';
import { stackOfFrame, type Technique, type Unwinder } from './unwinder.ts';

/**
 * Follows the chain of frame pointers: ebp points to the caller's saved ebp, and the return address is above it (System V
 * i386 ABI, "The Stack Frame"). Like Breakpad and rust-minidump, this does not check the result: most 32-bit code has
 * frame pointers, and the end of the chain gives an implausible caller.
 */
const byFramePointer: Technique = (frame, context) => {
  const ebp = frame.registers.get('ebp');
  if (ebp === undefined) return undefined;
  const stack = stackOfFrame(frame, context);
  const callerEbp = stack.word(ebp, 4);
  const returnAddress = stack.word(ebp + 4n, 4);
  if (callerEbp === undefined || returnAddress === undefined) return undefined;
  const caller = new Map([
    ['eip', returnAddress],
    ['esp', BigInt.asUintN(32, ebp + 8n)],
    ['ebp', callerEbp],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

export const X86_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byStackWin, byCfi, bySyscallStub, byTopOfStack, byFramePointer, byIntelScan],
  clean: (address) => address,
  callSize: 1n,
};
