// Finds a caller on x86 and amd64 by a stack scan. Also recovers the caller's frame pointer, which helps to find the
// next caller by a more reliable technique.
import { scan, wordsToScan } from './scan.ts';
import { type StackFrame, stackOfFrame, type Technique, type UnwindContext } from './unwinder.ts';

/** Hardly any frame is larger, in bytes. Breakpad uses the same limit. */
const MAX_FRAME_SIZE = 128n * 1024n;

export const byIntelScan: Technique = (frame, context) => {
  const { cpu } = context;
  const { start } = stackOfFrame(frame, context);
  const hit = scan(start, wordsToScan(frame), context);
  if (hit === undefined) return undefined;
  const registers = new Map([
    [cpu.instructionPointer, hit.returnAddress],
    [cpu.stackPointer, hit.at + BigInt(cpu.wordSize)],
  ]);
  // At the very top of the stack, there is no room for a saved frame pointer.
  const framePointer = hit.at === start ? undefined : recoverFramePointer(frame, hit.at, context);
  if (framePointer !== undefined) registers.set(cpu.framePointer, framePointer);
  return { registers, trust: 'scan' };
};

/** A function either saves its caller's frame pointer right below the return address, or does not change the register. */
function recoverFramePointer(frame: StackFrame, at: bigint, context: UnwindContext): bigint | undefined {
  const { cpu } = context;
  const stack = stackOfFrame(frame, context);
  const savedAt = at - BigInt(cpu.wordSize);
  const saved = stack.word(savedAt, cpu.wordSize);
  const current = frame.registers.get(cpu.framePointer);
  if (saved === undefined) return undefined;
  const isOnStack = (value: bigint) => stack.word(value, cpu.wordSize) !== undefined;
  // Most amd64 code has no frame pointers, so this word is one only if the register points to it.
  const isFramePointer = cpu.wordSize === 4 || current === savedAt;
  if (isFramePointer && saved > at && saved - savedAt <= MAX_FRAME_SIZE) return isOnStack(saved) ? saved : undefined;
  return current !== undefined && current > at && isOnStack(current) ? current : undefined;
}
