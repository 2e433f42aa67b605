// Unwinds arm64 stacks.
import type { Registers } from '../contexts/cpu.ts';
import { applyCfi, savedBelowCfa } from '../symbols/cfi.ts';
import type { CfiRules } from '../symbols/module-symbols.ts';
import { rulesOf, unwindByRules } from './by-cfi.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { byLinkRegister, byScan } from './scan.ts';
import {
  requireRegister,
  type StackFrame,
  stackOfFrame,
  type Technique,
  type UnwindContext,
  type Unwinder,
} from './unwinder.ts';

/**
 * Follows the chain of frame records: fp points to the caller's saved fp, and the return address is above it (AAPCS64,
 * "The Frame Pointer").
 */
const byFramePointer: Technique = (frame, context) => {
  const fp = frame.registers.get('fp');
  if (fp === undefined) return undefined;
  // The outermost record contains 0. In the first frame, 0 can also mean that the code uses fp for something else.
  if (fp === 0n) return frame.interrupted ? undefined : 'end';
  const stack = stackOfFrame(frame, context);
  const callerFp = stack.word(fp, 8);
  const returnAddress = stack.word(fp + 8n, 8);
  if (callerFp === undefined || returnAddress === undefined) return undefined;
  const pc = stripPointer(returnAddress, context);
  if (!isUserAddress(pc)) return undefined;
  const caller = new Map([
    ['pc', pc],
    ['sp', fp + 16n],
    ['fp', stripPointer(callerFp, context)],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

/** Excludes the first page, and the upper half of the address space, which belongs to the kernel. */
function isUserAddress(address: bigint): boolean {
  return address >= 0x1000n && address <= 0xf_ffff_ffff_ffffn;
}

/** Applies STACK CFI rules, then removes signatures: the rules return addresses as stored on the stack, which is signed. */
const byStrippedCfi: Technique = (frame, context) => {
  const rules = rulesOf(frame);
  const caller = rules && unwindByRules(rules, correctedRegisters(frame, rules, context), context);
  if (caller === undefined || caller === 'end') return caller;
  const registers = new Map(caller.registers);
  for (const name of ['pc', 'lr', 'fp']) {
    const value = registers.get(name);
    if (value !== undefined) registers.set(name, stripPointer(value, context));
  }
  return { ...caller, registers };
};

/**
 * Corrects the stack pointer of a frame that was found by its frame record. That value is only a lower bound: GCC puts
 * the record at the bottom of a frame, so the caller's stack starts a whole frame above the record, not right after it. A
 * rule that starts from sp would read the wrong words:
 *
 *     .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
 *
 * According to this rule, the record is 32 bytes below the CFA, and fp points to the record. So the CFA must be fp + 32,
 * and sp is corrected to give this CFA.
 */
function correctedRegisters(frame: StackFrame, rules: CfiRules, { cpu, memory }: UnwindContext): Registers {
  const [record, returnAddress] = [savedBelowCfa(rules, 'x29'), savedBelowCfa(rules, '.ra')];
  const isRecord = record !== undefined && returnAddress === record - 8n;
  if (frame.trust !== 'frame_pointer' || !isRecord) return frame.registers;
  const bySp = applyCfi(rules, cpu, frame.registers, memory);
  if (bySp === 'end' || bySp === undefined) return frame.registers;
  const error = requireRegister(frame, 'fp') + record - bySp.get('sp')!;
  return new Map(frame.registers).set('sp', requireRegister(frame, 'sp') + error);
}

export const ARM64_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byStrippedCfi, byLinkRegister, byFramePointer, byScan],
  clean: stripPointer,
  callSize: 4n,
};

/** Apple's systems use 47 bits for addresses and the other bits for signatures. */
const APPLE_BITS = 47n;

/**
 * Removes the signature of an address. ARMv8.3 (pointer authentication) signs return addresses and frame pointers in the
 * bits that no address uses: 0x00a1_8001_0024_5678 can be 0x1_0024_5678. The number of address bits depends on the OS and
 * is not in the dump, but it is at least what the highest module needs.
 */
function stripPointer(pointer: bigint, { modules }: UnwindContext): bigint {
  const needed = BigInt(modules.end.toString(2).length);
  return BigInt.asUintN(Number(needed > APPLE_BITS ? needed : APPLE_BITS), pointer);
}
