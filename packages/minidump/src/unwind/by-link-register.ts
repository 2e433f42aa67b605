// Finds the caller of a function on ARM that has not saved its return address yet, or never does: it is in the link register.
import { isReturnAddress } from './scan.ts';
import { isNowhere, known, type StackFrame, type Surroundings, type Technique } from './unwinder.ts';

/**
 * Only for a frame that was stopped at an instruction of its own. The link register may also be left over from a call that has
 * returned, and then it points into the function that is running: see `mayBeLeaf`.
 */
export const byLinkRegister: Technique = (frame, around) => {
  const lr = frame.registers.get('lr');
  if (!frame.interrupted || lr === undefined || !mayBeLeaf(frame, lr, around)) return undefined;
  const registers = new Map(frame.registers);
  registers.set(around.cpu.instructionPointer, lr);
  registers.delete('lr');
  return { registers, trust: 'leaf' };
};

/**
 * After a jump into nowhere the link register holds where it came from. In code it is the return address when it leads to another module, for no
 * call from here can have left it, or to another function, where both are known. A function that has made its frame record is no leaf.
 */
function mayBeLeaf(frame: StackFrame, lr: bigint, around: Surroundings): boolean {
  if (!isReturnAddress(lr, around)) return false;
  if (frame.module === undefined) return isNowhere(frame, around);
  if (hasFrameRecord(frame, lr, around)) return false;
  const module = around.modules.at(lr - 1n)!;
  if (module !== frame.module) return true;
  const caller = around.symbolsOf(module)?.placeAt(Number(lr - 1n - module.base));
  return caller !== undefined && frame.place !== undefined && caller.functionStart !== frame.place.functionStart;
}

function hasFrameRecord(frame: StackFrame, lr: bigint, { cpu, memory }: Surroundings): boolean {
  const fp = known(frame, cpu.framePointer);
  return memory.word(fp + BigInt(cpu.wordSize), cpu.wordSize) === lr;
}
