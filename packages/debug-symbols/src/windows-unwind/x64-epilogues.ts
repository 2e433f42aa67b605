// Describes the epilogues of x86_64 functions of Windows: instructions before a return that undo the prologue.
import type { CallFrameRecord } from '../symbol-sink.ts';
import { type Epilogue, REGISTERS, type UnwindInfo } from './x64-codes.ts';
import type { Frame } from './x64-frame.ts';

/** One instruction of an epilogue. */
type Pop = {
  /** Undefined for flags, which an epilogue pops into a register that the caller doesn't need. */
  register: number | undefined;
  /** Its length, in bytes. */
  length: number;
};

/**
 * Adds rows for an epilogue. It begins after the instruction that frees the allocated part of the frame, so only what was
 * pushed is left. `chain` has the unwind information of the function, then that of its parents.
 *
 *     add rsp, 32; pop rbx; ret
 *     STACK CFI 1024 .cfa: $rsp 16 +
 *     STACK CFI 1025 .cfa: $rsp 8 + $rbx: $rbx
 *
 * Registers that have their old value again are not read from the stack: what is below the stack pointer can be
 * overwritten by the handling of the very exception that is reported. After the epilogue, the rules of the body hold again.
 */
export function addEpilogue(record: CallFrameRecord, frame: Frame, chain: UnwindInfo[], epilogue: Epilogue): void {
  const pops = findPops(chain);
  if (pops === undefined || frame.isInterrupt) return;
  const start = record.address + record.size - epilogue.fromEnd;
  const end = start + epilogue.size;
  const popped = new Set(pops.map(({ register }) => register));
  const restored = [...frame.saved].filter((register) => !popped.has(register)).map(keepRule);
  let depth = 8 + 8 * pops.length;
  let position = start;
  let rules = [`.cfa: $rsp ${depth} +`, ...restored];
  for (const { register, length } of pops) {
    addRow(record, position, rules.join(' '));
    position += length;
    depth -= 8;
    rules = [`.cfa: $rsp ${depth} +`, ...(register === undefined ? [] : [keepRule(register)])];
  }
  if (position < end) addRow(record, position, rules.join(' '));
  if (end < record.address + record.size) addRow(record, end, frame.rules());
}

function addRow(record: CallFrameRecord, address: number, rules: string): void {
  const last = record.changes.at(-1);
  // An epilogue that follows right after another one replaces the return to the body.
  if (last?.address === address) last.rules = rules;
  else record.changes.push({ address, rules });
}

function keepRule(register: number): string {
  return `${REGISTERS[register]}: ${REGISTERS[register]}`;
}

/**
 * Returns the instructions that undo the pushes of the prologue, in the order of execution. All pushes of a function are
 * in one part of the chain. Returns undefined if the prologue does anything else that an epilogue would have to undo.
 */
export function findPops(chain: UnwindInfo[]): Pop[] | undefined {
  const info = chain.find(({ steps }) => steps.some(({ kind }) => kind === 'push'));
  if (info === undefined) return [];
  const pops: Pop[] = [];
  let isBeforePushes = false;
  for (const step of info.steps.toReversed()) {
    if (step.kind === 'push') {
      if (isBeforePushes) return undefined;
      pops.push({ register: step.register, length: step.register < 8 ? 1 : 2 });
    } else if (pops.length > 0 && step.kind !== 'save') {
      // Only pushed flags can be above the registers. They are described as an allocation.
      if (isBeforePushes || step.kind !== 'allocate' || step.size !== 8) return undefined;
      pops.push({ register: undefined, length: 1 });
      isBeforePushes = true;
    }
  }
  return pops;
}
