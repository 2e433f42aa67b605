// Finds a caller on ARM by a stack scan, which only recovers the return address.
import { scan, wordsToScan } from './scan.ts';
import { requireRegister, stackOfFrame, type Technique } from './unwinder.ts';

export const byScan: Technique = (frame, context) => {
  const { cpu } = context;
  const { start } = stackOfFrame(frame, context);
  let hit = scan(start, wordsToScan(frame), context);
  // A supposed leaf may have saved its return address after all. That would find this frame again.
  if (frame.trust === 'leaf' && hit?.returnAddress === requireRegister(frame, cpu.instructionPointer)) {
    hit = scan(hit.at + BigInt(cpu.wordSize), wordsToScan(frame), context);
  }
  if (hit === undefined) return undefined;
  const registers = new Map([
    [cpu.instructionPointer, hit.returnAddress],
    [cpu.stackPointer, hit.at + BigInt(cpu.wordSize)],
  ]);
  return { registers, trust: 'scan' };
};
