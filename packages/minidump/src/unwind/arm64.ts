// Unwinds arm64.
import type { Registers } from '../contexts/cpu.ts';
import { applyCfi, savedBelowCfa } from '../symbols/cfi.ts';
import type { CfiRules } from '../symbols/module-symbols.ts';
import { rulesOf, unwindByRules } from './by-cfi.ts';
import { byLinkRegister } from './by-link-register.ts';
import { byScan } from './by-scan.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { stripPointer } from './pointer-authentication.ts';
import { known, type StackFrame, type Surroundings, stackOf, type Technique, type Unwinder } from './unwinder.ts';

/** The chain of frame records: fp points to the caller’s fp, the return address stands above it (AAPCS64, "The Frame Pointer"). */
const byFramePointer: Technique = (frame, around) => {
  const fp = frame.registers.get('fp');
  if (fp === undefined) return undefined;
  // The outermost record points to 0. In the first frame a 0 may also be code that uses the register otherwise.
  if (fp === 0n) return frame.interrupted ? undefined : 'end';
  const stack = stackOf(frame, around);
  const callerFp = stack.word(fp, 8);
  const returnAddress = stack.word(fp + 8n, 8);
  if (callerFp === undefined || returnAddress === undefined) return undefined;
  const pc = stripPointer(returnAddress, around);
  if (!isUserAddress(pc)) return undefined;
  const caller = new Map([
    ['pc', pc],
    ['sp', fp + 16n],
    ['fp', stripPointer(callerFp, around)],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

/** Not the first page, and not the upper half, which is the kernel’s. */
function isUserAddress(address: bigint): boolean {
  return address >= 0x1000n && address <= 0xf_ffff_ffff_ffffn;
}

/** By rules, which give return addresses as they lie on the stack: signed. */
const byStrippedCfi: Technique = (frame, around) => {
  const rules = rulesOf(frame);
  const caller = rules && unwindByRules(rules, trueRegisters(frame, rules, around), around);
  if (caller === undefined || caller === 'end') return caller;
  const registers = new Map(caller.registers);
  for (const name of ['pc', 'lr', 'fp']) {
    const value = registers.get(name);
    if (value !== undefined) registers.set(name, stripPointer(value, around));
  }
  return { ...caller, registers };
};

/**
 * The stack pointer that a chain of frame records gives is only a lower bound: GCC puts the record at the bottom of a frame, so its
 * caller’s stack begins a whole frame above it, and not right after the record. A rule that starts from sp would read the wrong words:
 *
 *     .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
 *
 * These say that the record is 32 bytes below the CFA, and fp points to the record: so the CFA is fp + 32, and sp what leads to it.
 */
function trueRegisters(frame: StackFrame, rules: CfiRules, { cpu, memory }: Surroundings): Registers {
  const [record, returnAddress] = [savedBelowCfa(rules, 'x29'), savedBelowCfa(rules, '.ra')];
  const isRecord = record !== undefined && returnAddress === record - 8n;
  if (frame.trust !== 'frame_pointer' || !isRecord) return frame.registers;
  const bySp = applyCfi(rules, cpu, frame.registers, memory);
  if (bySp === 'end' || bySp === undefined) return frame.registers;
  const error = known(frame, 'fp') + record - bySp.get('sp')!;
  return new Map(frame.registers).set('sp', known(frame, 'sp') + error);
}

export const ARM64_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byStrippedCfi, byLinkRegister, byFramePointer, byScan],
  clean: stripPointer,
  callSize: 4n,
};
