// Reads what the prologue of an x86_64 function of Windows does, from its UNWIND_INFO. The structure is described in
// Microsoft's "x64 exception handling". Version 2, which adds epilogues, is not described there; what is known of it comes
// from unwinders that are open source, such as that of .NET.
import { DebugSymbolsError } from '../error.ts';
import type { Pe } from '../pe/pe.ts';

/** The registers by their numbers in unwind codes. */
export const REGISTERS = [
  '$rax',
  '$rcx',
  '$rdx',
  '$rbx',
  '$rsp',
  '$rbp',
  '$rsi',
  '$rdi',
  '$r8',
  '$r9',
  '$r10',
  '$r11',
  '$r12',
  '$r13',
  '$r14',
  '$r15',
] as const;

/** One step of a prologue. */
export type Step = {
  /** Where the next instruction is, in bytes from the start of the function. */
  after: number;
} & (
  | { kind: 'push'; register: number }
  | { kind: 'allocate'; size: number }
  /** The frame register is set to the stack pointer and an offset, which the UnwindInfo has. */
  | { kind: 'set-frame' }
  /** The register is stored at an offset from the base of the frame: see `frameRegister`. */
  | { kind: 'save'; register: number; offset: number }
  /** The CPU itself pushed what it needs for returning from an interrupt. */
  | { kind: 'machine-frame'; hasErrorCode: boolean }
);

/** A range of instructions before a return that pop what the prologue pushed. */
export interface Epilogue {
  /** The distance of its start from the end of the function, in bytes. */
  fromEnd: number;
  /** The size in bytes. */
  size: number;
}

export interface UnwindInfo {
  /** Only version 2 says where epilogues are. */
  version: number;
  /** The steps in the order of execution. */
  steps: Step[];
  epilogues: Epilogue[];
  /**
   * The register that points into the frame; 0 if there is none. With one, the base of the frame is where the stack
   * pointer was when that register was set; without one, where it is after the prologue.
   */
  frameRegister: number;
  /** How far above the base of the frame it points, in bytes. */
  frameOffset: number;
  /** Where the UNWIND_INFO is that describes what ran before this function was entered. */
  parent: number | undefined;
}

const FLAG_CHAINED = 4;

/**
 * Returns undefined for an unknown version, or an unknown code: its length is unknown as well, so that nothing after it
 * can be read. Throws a DebugSymbolsError `truncated` if the information is outside the file.
 */
export function readUnwindInfo(pe: Pe, address: number): UnwindInfo | undefined {
  const { reader } = pe;
  const at = pe.offsetOf(address);
  const header = reader.u32(at);
  const version = header & 7;
  if (version !== 1 && version !== 2) return undefined;
  const count = (header >>> 16) & 0xff;
  const frameRegister = (header >>> 24) & 0xf;
  const info: UnwindInfo = {
    version,
    steps: [],
    epilogues: [],
    frameRegister,
    frameOffset: (header >>> 28) * 16,
    parent: undefined,
  };
  if (!readCodes(pe, at + 4, count, version, info)) return undefined;
  // The codes are padded to a multiple of 4 bytes. The third field of a RUNTIME_FUNCTION is the address of its UNWIND_INFO.
  if ((header >>> 3) & FLAG_CHAINED) info.parent = reader.u32(at + 4 + ((count + 1) & ~1) * 2 + 8);
  return info;
}

function readCodes(pe: Pe, at: number, count: number, version: number, info: UnwindInfo): boolean {
  const { reader } = pe;
  const first = version === 2 ? readEpilogues(pe, at, count, info) : 0;
  for (let index = first; index < count; ) {
    const code = reader.u16(at + index * 2);
    const slots = slotCount(code);
    if (slots === 0) return false;
    if (index + slots > count)
      throw new DebugSymbolsError('truncated', 'an unwind code is longer than the array of codes');
    const step = readStep(code, slots > 1 ? readOperand(pe, at + index * 2 + 2, slots) : 0);
    if (step !== undefined) info.steps.push(step);
    index += slots;
  }
  // The last step comes first, because unwinding undoes it first.
  info.steps.reverse();
  return true;
}

/** Returns how many units of 2 bytes a code takes; 0 if it is unknown. */
function slotCount(code: number): number {
  switch ((code >>> 8) & 0xf) {
    case 1: // UWOP_ALLOC_LARGE
      return code >>> 12 === 0 ? 2 : 3;
    case 4: // UWOP_SAVE_NONVOL
    case 8: // UWOP_SAVE_XMM128
      return 2;
    case 5: // UWOP_SAVE_NONVOL_FAR
    case 9: // UWOP_SAVE_XMM128_FAR
      return 3;
    case 0: // UWOP_PUSH_NONVOL
    case 2: // UWOP_ALLOC_SMALL
    case 3: // UWOP_SET_FPREG
    case 10: // UWOP_PUSH_MACHFRAME
      return 1;
    default:
      return 0;
  }
}

function readOperand(pe: Pe, at: number, slots: number): number {
  return slots === 2 ? pe.reader.u16(at) : pe.reader.u32(at);
}

/** Returns undefined for a saved XMM register: symbol files have no rules for those. */
function readStep(code: number, operand: number): Step | undefined {
  const after = code & 0xff;
  const detail = code >>> 12;
  switch ((code >>> 8) & 0xf) {
    case 0:
      return { after, kind: 'push', register: detail };
    case 1:
      return { after, kind: 'allocate', size: detail === 0 ? operand * 8 : operand };
    case 2:
      return { after, kind: 'allocate', size: detail * 8 + 8 };
    case 3:
      return { after, kind: 'set-frame' };
    case 4:
      return { after, kind: 'save', register: detail, offset: operand * 8 };
    case 5:
      return { after, kind: 'save', register: detail, offset: operand };
    case 10:
      return { after, kind: 'machine-frame', hasErrorCode: detail !== 0 };
    default:
      return undefined;
  }
}

/**
 * Reads the codes for epilogues, which are in front of the others. The first one has the size of all epilogues, and whether
 * there is one at the end of the function. Each of the others has the distance of an epilogue from the end, or 0 for
 * padding. Returns their number.
 */
function readEpilogues(pe: Pe, at: number, count: number, info: UnwindInfo): number {
  let size = 0;
  for (let index = 0; index < count; index++) {
    const code = pe.reader.u16(at + index * 2);
    if (((code >>> 8) & 0xf) !== 6) return index;
    if (index === 0) {
      size = code & 0xff;
      if (code & 0x1000) info.epilogues.push({ fromEnd: size, size });
    } else {
      const fromEnd = (code & 0xff) | ((code >>> 12) << 8);
      if (fromEnd !== 0) info.epilogues.push({ fromEnd, size });
    }
  }
  return count;
}
