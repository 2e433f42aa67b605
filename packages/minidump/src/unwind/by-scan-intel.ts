// Finds a caller by a scan on x86 and amd64, and with it the caller’s frame pointer, so that the surer techniques can take over again.
import { scan, wordsToScan } from './scan.ts';
import { type StackFrame, type Surroundings, stackOf, type Technique } from './unwinder.ts';

/** A frame is nearly never larger: 128 KiB, the figure of Breakpad’s authors. */
const MAX_GAP = 128n * 1024n;

export const byIntelScan: Technique = (frame, around) => {
  const { cpu } = around;
  const { start } = stackOf(frame, around);
  const hit = scan(start, wordsToScan(frame), around);
  if (hit === undefined) return undefined;
  const registers = new Map([
    [cpu.instructionPointer, hit.returnAddress],
    [cpu.stackPointer, hit.at + BigInt(cpu.wordSize)],
  ]);
  // Right at the top there is no room for a saved frame pointer.
  const framePointer = hit.at === start ? undefined : recoverFramePointer(frame, hit.at, around);
  if (framePointer !== undefined) registers.set(cpu.framePointer, framePointer);
  return { registers, trust: 'scan' };
};

/** A function saves its caller’s frame pointer right below the return address, or leaves the register alone. */
function recoverFramePointer(frame: StackFrame, at: bigint, around: Surroundings): bigint | undefined {
  const { cpu } = around;
  const stack = stackOf(frame, around);
  const place = at - BigInt(cpu.wordSize);
  const saved = stack.word(place, cpu.wordSize);
  const current = frame.registers.get(cpu.framePointer);
  if (saved === undefined) return undefined;
  const isOnStack = (value: bigint) => stack.word(value, cpu.wordSize) !== undefined;
  // On amd64 most code has no frame pointers, and what stands there is one only if the register points to it.
  const isSavedHere = cpu.wordSize === 4 || current === place;
  if (isSavedHere && saved > at && saved - place <= MAX_GAP) return isOnStack(saved) ? saved : undefined;
  return current !== undefined && current > at && isOnStack(current) ? current : undefined;
}
