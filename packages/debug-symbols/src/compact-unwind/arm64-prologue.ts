// Finds the prologues of arm64 code. Compact unwind information only has the rules after a prologue, but a stack overflow
// usually happens in one. Instructions are those of the Arm Architecture Reference Manual for A-profile.
import type { Rules } from '../windows-unwind/row-writer.ts';
import { LINK_REGISTER } from './arm64.ts';
import type { Row } from './x86-prologue.ts';

const INSTRUCTION_SIZE = 4;
const NO_FRAME = 'sp 0 +';
/**
 * Returns the prologues in code whose functions all have the same frame. `body` has the rules after a prologue. The first
 * row of each has the rules before it, and the last row those of the body. A prologue consists of instructions that
 * allocate memory or store registers, until the frame is complete.
 */
export function* findArm64Prologues(code: Uint8Array, body: Rules): Generator<Row[]> {
  if (body.get('.cfa') === NO_FRAME) return;
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  for (let at = 0; at + INSTRUCTION_SIZE <= code.length; at += INSTRUCTION_SIZE) {
    if (decode(view.getUint32(at, true)) === undefined) continue;
    const rows = followPrologue(view, at, body);
    if (rows === undefined) continue;
    yield rows;
    at = rows.at(-1)!.position - INSTRUCTION_SIZE;
  }
}

/** Whether code calls functions. */
export function hasArm64Call(code: Uint8Array): boolean {
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  for (let at = 0; at + INSTRUCTION_SIZE <= code.length; at += INSTRUCTION_SIZE) {
    const instruction = view.getUint32(at, true);
    // bl, and blr with and without authentication
    if (instruction >>> 26 === 0x25 || (instruction & 0xfeff_f000) >>> 0 === 0xd63f_0000) return true;
  }
  return false;
}

function followPrologue(code: DataView, start: number, body: Rules): Row[] | undefined {
  const saved = new Map<string, string>();
  let depth = 0;
  const rows: Row[] = [{ position: start, rules: listRules(NO_FRAME, saved) }];
  for (let at = start; at + INSTRUCTION_SIZE <= code.byteLength; at += INSTRUCTION_SIZE) {
    const operation = decode(code.getUint32(at, true));
    if (operation === undefined) return undefined;
    depth += operation.allocated;
    for (const [index, register] of operation.registers.entries()) {
      const name = register === 'x30' ? '.ra' : register;
      const rule = `.cfa ${operation.offset + 8 * index - depth} + ^`;
      if (body.get(name) === rule) saved.set(name, rule);
    }
    const cfa = operation.pointer === undefined ? `sp ${depth} +` : `x29 ${depth - operation.pointer} +`;
    const rules = listRules(cfa, saved);
    rows.push({ position: at + INSTRUCTION_SIZE, rules });
    if (cfa === body.get('.cfa') && rules.size === body.size)
      return rules.get('.ra') === body.get('.ra') ? rows : undefined;
  }
  return undefined;
}

function listRules(cfa: string, saved: ReadonlyMap<string, string>): Rules {
  return new Map([['.cfa', cfa], ['.ra', LINK_REGISTER], ...saved]);
}

type Operation = {
  /** How far the stack pointer moves down. */
  allocated: number;
  /** Where registers are stored, in bytes above the stack pointer. */
  offset: number;
  registers: string[];
  /** How far above the stack pointer x29 points, if it is set. */
  pointer?: number;
};

/** Returns undefined for an instruction that isn't part of a prologue. */
function decode(instruction: number): Operation | undefined {
  const immediate = (instruction >>> 10) & 0xfff;
  // paciasp, pacibsp and bti
  if (instruction === 0xd503_233f || instruction === 0xd503_237f || (instruction & 0xffff_ff3f) >>> 0 === 0xd503_241f) {
    return { allocated: 0, offset: 0, registers: [] };
  }
  // str xn, [sp, immediate], which Swift uses for the context of an asynchronous function
  if ((instruction & 0xffc0_03e0) >>> 0 === 0xf900_03e0) return { allocated: 0, offset: 0, registers: [] };
  // sub sp, sp, immediate
  if ((instruction & 0xff80_03ff) >>> 0 === 0xd100_03ff) {
    return { allocated: instruction & 0x40_0000 ? immediate << 12 : immediate, offset: 0, registers: [] };
  }
  // add x29, sp, immediate
  if ((instruction & 0xffc0_03ff) >>> 0 === 0x9100_03fd) {
    return { allocated: 0, offset: 0, registers: [], pointer: immediate };
  }
  return decodeStore(instruction);
}

/** stp of two x or d registers, with an offset from sp or moving it */
function decodeStore(instruction: number): Operation | undefined {
  const kind = (instruction & 0xff40_0000) >>> 0;
  const isStore = (kind === 0xa900_0000 || kind === 0x6d00_0000) && ((instruction >>> 5) & 0x1f) === 31;
  if (!isStore) return undefined;
  const offset = ((instruction << 10) >> 25) * 8;
  const letter = kind === 0xa900_0000 ? 'x' : 'd';
  const registers = [`${letter}${instruction & 0x1f}`, `${letter}${(instruction >>> 10) & 0x1f}`];
  const isPreIndexed = (instruction & 0x80_0000) !== 0;
  if (!isPreIndexed) return { allocated: 0, offset, registers };
  return offset > 0 ? undefined : { allocated: -offset, offset: 0, registers };
}
