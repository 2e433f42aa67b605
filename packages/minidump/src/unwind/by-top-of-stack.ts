// Finds a caller on x86 and amd64 by the word at the stack pointer, for a function without a frame.
import { isReturnAddress } from './scan.ts';
import { isOutsideCode, requireRegister, type StackFrame, type Technique, type UnwindContext } from './unwinder.ts';

/** A function without a frame has changed no callee-saved registers, so the caller has the same values. */
export const byTopOfStack: Technique = (frame, context) => {
  if (!frame.interrupted || !mayBeFrameless(frame, context)) return undefined;
  const { cpu, memory } = context;
  const sp = requireRegister(frame, cpu.stackPointer);
  const returnAddress = memory.word(sp, cpu.wordSize);
  if (returnAddress === undefined || !isReturnAddress(returnAddress, context)) return undefined;
  const registers = new Map(frame.registers);
  registers.set(cpu.instructionPointer, returnAddress);
  registers.set(cpu.stackPointer, sp + BigInt(cpu.wordSize));
  return { registers, trust: 'leaf' };
};

/**
 * On 64-bit Windows, only functions that change neither the stack nor callee-saved registers have no unwind data (leaf
 * functions in Microsoft's x64 documentation). On other systems, only a call through an invalid pointer has no frame: it
 * has pushed nothing but the return address.
 */
function mayBeFrameless(frame: StackFrame, context: UnwindContext): boolean {
  return isOutsideCode(frame, context) || (context.os === 'windows' && context.cpu.wordSize === 8);
}
