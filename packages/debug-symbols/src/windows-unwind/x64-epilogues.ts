// Describes the epilogues of x86_64 functions of Windows: instructions before a return that undo the prologue.
import type { CallFrameRecord } from '../symbol-sink.ts';
import { type Epilogue, REGISTERS, type UnwindInfo } from './x64-codes.ts';
import type { Frame } from './x64-frame.ts';

/** One instruction of an epilogue. */
export type Pop = {
  /** Undefined for flags, which an epilogue pops into a register that the caller doesn't need. */
  register: number | undefined;
  /** The instruction. */
  code: readonly number[];
};

/**
 * Adds rows for an epilogue. It begins after the instruction that frees the allocated part of the frame, so only what was
 * pushed is left:
 *
 *     add rsp, 32; pop rbx; ret
 *     STACK CFI 1024 .cfa: $rsp 16 +
 *     STACK CFI 1025 .cfa: $rsp 8 + $rbx: $rbx
 *
 * Registers that have the caller's value again are not read from the stack: what is below the stack pointer can be
 * overwritten by the handling of the very exception that is reported. After the epilogue, the rules of the body hold again.
 */
export function addEpilogue(record: CallFrameRecord, frame: Frame, pops: readonly Pop[], epilogue: Epilogue): void {
  let depth = 8 + 8 * pops.length;
  let position = record.address + record.size - epilogue.fromEnd;
  const end = position + epilogue.size;
  const popped = pops.flatMap(({ register }) => register ?? []);
  const restored = frame.savedBelow(depth).filter((register) => !popped.includes(register));
  let rules = frame.isAt(depth) ? restored.map(keepRule) : [cfaRule(depth), ...restored.map(keepRule)];
  for (const { register, code } of pops) {
    addRow(record, position, rules);
    position += code.length;
    depth -= 8;
    rules = register === undefined ? [cfaRule(depth)] : [cfaRule(depth), keepRule(register)];
  }
  if (position < end) addRow(record, position, rules);
  const isLast = end >= record.address + record.size;
  if (!isLast) addRow(record, end, frame.rulesOf([...popped, ...restored]));
}

function addRow({ changes }: CallFrameRecord, address: number, rules: string[]): void {
  if (rules.length === 0) return;
  const last = changes.at(-1);
  // An epilogue that follows right after another one changes the rules of the body, which hold in between.
  if (last?.address === address) last.rules += ` ${rules.join(' ')}`;
  else changes.push({ address, rules: rules.join(' ') });
}

function cfaRule(depth: number): string {
  return `.cfa: $rsp ${depth} +`;
}

function keepRule(register: number): string {
  return `${REGISTERS[register]}: ${REGISTERS[register]}`;
}

/**
 * Returns the instructions that undo the pushes of the prologue, in the order of execution. `chain` has the unwind
 * information of the function, then that of its parents; all pushes are in one of them. Returns undefined if the prologue
 * does anything between pushes that an epilogue would have to undo.
 */
export function findPops(chain: readonly UnwindInfo[]): Pop[] | undefined {
  const info = chain.find(({ steps }) => steps.some(({ kind }) => kind === 'push'));
  if (info === undefined) return [];
  const pops: Pop[] = [];
  let hasFlags = false;
  for (const step of info.steps.toReversed()) {
    if (step.kind === 'push') {
      if (hasFlags) return undefined;
      pops.push({ register: step.register, code: popCode(step.register) });
    } else if (pops.length > 0 && step.kind !== 'save') {
      // Only pushed flags can be above the registers. They are described as an allocation.
      if (hasFlags || step.kind !== 'allocate' || step.size !== 8) return undefined;
      pops.push({ register: undefined, code: [0x59] });
      hasFlags = true;
    }
  }
  return pops;
}

function popCode(register: number): number[] {
  return register < 8 ? [0x58 + register] : [0x41, 0x58 + register - 8];
}
