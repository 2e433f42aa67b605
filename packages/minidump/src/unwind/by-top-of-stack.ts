// Finds the caller of a function on x86 or amd64 that has no frame: the return address is the word at the stack pointer.
import { isReturnAddress } from './scan.ts';
import { isNowhere, known, type StackFrame, type Surroundings, type Technique } from './unwinder.ts';

/** Such a function returns with all registers as they are but the two that the return itself changes. */
export const byTopOfStack: Technique = (frame, around) => {
  if (!frame.interrupted || !mayHaveNoFrame(frame, around)) return undefined;
  const { cpu, memory } = around;
  const sp = known(frame, cpu.stackPointer);
  const returnAddress = memory.word(sp, cpu.wordSize);
  if (returnAddress === undefined || !isReturnAddress(returnAddress, around)) return undefined;
  const registers = new Map(frame.registers);
  registers.set(cpu.instructionPointer, returnAddress);
  registers.set(cpu.stackPointer, sp + BigInt(cpu.wordSize));
  return { registers, trust: 'leaf' };
};

/**
 * On 64-bit Windows a function that touches neither stack nor saved registers has no unwind table, and all others have one. Elsewhere
 * it is a jump into nowhere that has pushed nothing but the return address.
 */
function mayHaveNoFrame(frame: StackFrame, around: Surroundings): boolean {
  return isNowhere(frame, around) || (around.os === 'windows' && around.cpu.wordSize === 8);
}
