// Decodes the unwind codes of arm64 code of Windows. Each describes one instruction of a prologue or epilogue, by what
// undoes it. They are listed in Microsoft's "ARM64 exception handling", "Unwind codes".
// cspell:ignore ffoooooo pxrrrrr xxxzzzzz xxzzzzzz

/** What one instruction of a prologue does. */
export type Operation =
  | { kind: 'allocate'; size: number }
  /** Moves the stack pointer down by `size`, then stores registers from `offset` on. */
  | { kind: 'save'; size: number; offset: number; registers: readonly number[] }
  /** Makes x29 point to a place above the stack pointer. */
  | { kind: 'set-frame'; offset: number }
  | { kind: 'nothing' };

export interface Sequence {
  /** The operations in the order of unwinding: the last instruction of a prologue is the first one. */
  operations: Operation[];
  /**
   * How many of them are instructions of this part of the function. What follows happened in another part, which ran
   * before.
   */
  length: number;
}

const LINK_REGISTER = 30;
const FIRST_SAVED = 19;
const LAST_SAVED = 28;
const NOTHING: Operation = { kind: 'nothing' };
const END = 0xe4;
const END_OF_PART = 0xe5;
const SAVE_NEXT = 0xe6;

/**
 * Decodes the codes from an index on. Returns undefined if one is unknown, damaged, or describes a frame of the kernel
 * or of an exception, which no compiler generates.
 */
export function decodeSequence(codes: Uint8Array, start: number): Sequence | undefined {
  const operations: Operation[] = [];
  let length: number | undefined;
  let pendingPairs = 0;
  for (let at = start; at < codes.length; ) {
    const code = codes[at]!;
    const size = codeSize(code);
    if (code === END) break;
    if (size === 0 || at + size > codes.length) return undefined;
    if (code === END_OF_PART) length ??= operations.length;
    else if (code === SAVE_NEXT) pendingPairs++;
    else if (code !== 0xec) {
      const operation = decodeCode(codes, at);
      if (operation === undefined) return undefined;
      if (pendingPairs > 0) {
        if (operation.kind !== 'save') return undefined;
        for (let pair = pendingPairs; pair > 0; pair--) operations.push(followingPair(operation, pair));
        pendingPairs = 0;
      }
      operations.push(operation);
    }
    at += size;
  }
  if (pendingPairs > 0) return undefined;
  return { operations, length: length ?? operations.length };
}

/** Returns the size of a code in bytes; 0 for an unknown one. */
function codeSize(code: number): number {
  if (code < 0xc0) return 1;
  if (code < 0xdf) return 2;
  switch (code) {
    case 0xe0: // alloc_l
      return 4;
    case 0xe2: // add_fp
      return 2;
    case 0xe7: // save_any_reg
      return 3;
    case 0xe1: // set_fp
    case 0xe3: // nop
    case END:
    case END_OF_PART:
    case SAVE_NEXT:
    case 0xec: // clear_unwound_to_call, which describes no instruction
    case 0xfc: // pac_sign_lr
    case 0xfd: // reserved, like those up to 0xff: an instruction without effect on unwinding
    case 0xfe:
    case 0xff:
      return 1;
    default:
      // 0xf8 to 0xfb are reserved as well, for instructions with operands of 1 to 4 bytes.
      return code >= 0xf8 && code <= 0xfb ? code - 0xf6 : 0;
  }
}

function decodeCode(codes: Uint8Array, at: number): Operation | undefined {
  const code = codes[at]!;
  const next = codes[at + 1] ?? 0;
  if (code < 0x20) return { kind: 'allocate', size: code * 16 };
  if (code < 0x40) return save([19, 20], 0, (code & 0x1f) * 8);
  if (code < 0x80) return save([29, LINK_REGISTER], (code & 0x3f) * 8);
  if (code < 0xc0) return save([29, LINK_REGISTER], 0, (code & 0x3f) * 8 + 8);
  if (code < 0xc8) return { kind: 'allocate', size: (((code & 7) << 8) | next) * 16 };
  if (code < 0xdf) return decodeSave((code << 8) | next);
  switch (code) {
    case 0xe0:
      return { kind: 'allocate', size: ((next << 16) | (codes[at + 2]! << 8) | codes[at + 3]!) * 16 };
    case 0xe1:
      return { kind: 'set-frame', offset: 0 };
    case 0xe2:
      return { kind: 'set-frame', offset: next * 8 };
    case 0xe7:
      return decodeAnyRegister((next << 8) | codes[at + 2]!);
    default:
      return NOTHING;
  }
}

/** Decodes the codes of 2 bytes that store registers. Their lowest bits are the offset, in units of 8 bytes. */
function decodeSave(code: number): Operation {
  const offset = (code & 0x3f) * 8;
  const writeBack = offset + 8;
  // Codes for a single register with write-back have only five bits for the offset.
  const shortWriteBack = (code & 0x1f) * 8 + 8;
  const register = FIRST_SAVED + ((code >>> 6) & 0xf);
  switch (code >>> 9) {
    case 0x64: // save_regp: 110010xx xxzzzzzz
    case 0x65:
      return save([register, register + 1], offset);
    case 0x66: // save_regp_x: 110011xx xxzzzzzz
    case 0x67:
      return save([register, register + 1], 0, writeBack);
    case 0x68: // save_reg: 110100xx xxzzzzzz
    case 0x69:
      return save([register], offset);
    case 0x6a: // save_reg_x: 1101010x xxxzzzzz
      return save([FIRST_SAVED + ((code >>> 5) & 0xf)], 0, shortWriteBack);
    case 0x6b: // save_lrpair: 1101011x xxzzzzzz
      return save([FIRST_SAVED + 2 * ((code >>> 6) & 7), LINK_REGISTER], offset);
    case 0x6d: // save_fregp_x: 1101101x xxzzzzzz
      return save([], 0, writeBack);
    case 0x6f: // save_freg_x: 11011110 xxxzzzzz
      return save([], 0, shortWriteBack);
    default: // save_fregp, save_freg
      return save([], offset);
  }
}

/** save_any_reg: 0pxrrrrr ffoooooo, with p for a pair, x for write-back, and f for the kind of register. */
function decodeAnyRegister(code: number): Operation | undefined {
  if (code & 0x8000) return undefined;
  const isPair = (code & 0x4000) !== 0;
  const isWriteBack = (code & 0x2000) !== 0;
  const register = (code >>> 8) & 0x1f;
  const kind = (code >>> 6) & 3;
  if (kind === 3) return undefined;
  const unit = isPair || isWriteBack || kind === 2 ? 16 : 8;
  const registers = kind !== 0 ? [] : isPair ? [register, register + 1] : [register];
  const offset = (code & 0x3f) * unit;
  return isWriteBack ? save(registers, 0, offset + unit) : save(registers, offset);
}

function save(registers: readonly number[], offset: number, size = 0): Operation {
  return { kind: 'save', size, offset, registers };
}

/**
 * Returns what a code save_next means: it stores the pair of registers that follows the previous pair, in the next 16
 * bytes. After x27 and x28, the pairs of floating-point registers follow.
 */
function followingPair(first: Operation & { kind: 'save' }, distance: number): Operation {
  const register = first.registers[0];
  const next = register === undefined ? LAST_SAVED : register + 2 * distance;
  return save(next < LAST_SAVED ? [next, next + 1] : [], first.offset + 16 * distance);
}
