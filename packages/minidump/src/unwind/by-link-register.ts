// Finds a caller on ARM by the link register, for a function that has not (or not yet) saved its return address.
import { isReturnAddress } from './scan.ts';
import { isOutsideCode, requireRegister, type StackFrame, type Technique, type UnwindContext } from './unwinder.ts';

/**
 * Only applies to a frame that was interrupted. The link register can also be left over from a call that has returned,
 * and then it points into the running function itself: see `mayBeLeaf`.
 */
export const byLinkRegister: Technique = (frame, context) => {
  const lr = frame.registers.get('lr');
  if (!frame.interrupted || lr === undefined || !mayBeLeaf(frame, lr, context)) return undefined;
  const registers = new Map(frame.registers);
  registers.set(context.cpu.instructionPointer, lr);
  registers.delete('lr');
  return { registers, trust: 'leaf' };
};

/**
 * After a call through an invalid pointer, the link register contains the return address. Inside code, it is the return
 * address if it points into another module, or into another function if both functions are known: no call from here
 * could have left such a value. A function that has stored its frame record is not a leaf.
 */
function mayBeLeaf(frame: StackFrame, lr: bigint, context: UnwindContext): boolean {
  if (!isReturnAddress(lr, context)) return false;
  if (frame.module === undefined) return isOutsideCode(frame, context);
  if (hasFrameRecord(frame, lr, context)) return false;
  const module = context.modules.at(lr - 1n)!;
  if (module !== frame.module) return true;
  const caller = context.symbolsOf(module)?.placeAt(Number(lr - 1n - module.base));
  return caller !== undefined && frame.place !== undefined && caller.functionStart !== frame.place.functionStart;
}

function hasFrameRecord(frame: StackFrame, lr: bigint, { cpu, memory }: UnwindContext): boolean {
  const fp = requireRegister(frame, cpu.framePointer);
  return memory.word(fp + BigInt(cpu.wordSize), cpu.wordSize) === lr;
}
