// Finds a caller by a scan, on CPUs where only the return address can be told from it.
import { scan, wordsToScan } from './scan.ts';
import { known, stackOf, type Technique } from './unwinder.ts';

export const byScan: Technique = (frame, around) => {
  const { cpu } = around;
  const { start } = stackOf(frame, around);
  let hit = scan(start, wordsToScan(frame), around);
  // What was taken for a leaf may have put its return address on the stack already: that is this frame again.
  if (frame.trust === 'leaf' && hit?.returnAddress === known(frame, cpu.instructionPointer)) {
    hit = scan(hit.at + BigInt(cpu.wordSize), wordsToScan(frame), around);
  }
  if (hit === undefined) return undefined;
  const registers = new Map([
    [cpu.instructionPointer, hit.returnAddress],
    [cpu.stackPointer, hit.at + BigInt(cpu.wordSize)],
  ]);
  return { registers, trust: 'scan' };
};
