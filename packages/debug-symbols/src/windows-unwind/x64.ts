// Reads how to unwind x86_64 code of Windows, from the table of functions in `.pdata` and the prologues in `.xdata`. Both
// are described in Microsoft's "x64 exception handling".
import { DebugSymbolsError } from '../error.ts';
import type { Pe } from '../pe/pe.ts';
import type { CallFrameRecord, SymbolSink } from '../symbol-sink.ts';
import { readUnwindInfo, type UnwindInfo } from './x64-codes.ts';
import { findEpilogues } from './x64-epilogue-search.ts';
import { addEpilogue, findPops } from './x64-epilogues.ts';
import { Frame } from './x64-frame.ts';
import { type FunctionEntry, readFunctionEntries } from './x64-table.ts';

/** Windows refuses longer chains as well. */
const MAX_CHAIN = 32;
/**
 * How many steps may be read for each entry of the table, on average. Real functions have about five. Only a damaged file
 * in which all entries share long chains has more.
 */
const MAX_STEPS = 64;
const CODE_READ_SIZE = 0x40000;
const NO_CODE = new Uint8Array(0);
/** The unwind information of a part of a function that only has that of its parent. */
const NO_PROLOGUE: UnwindInfo = {
  version: 1,
  steps: [],
  epilogues: [],
  frameRegister: 0,
  frameOffset: 0,
  parent: undefined,
};

/**
 * Writes rules for all functions with unwind information. Functions without it leave the stack pointer and the caller's
 * registers alone. Skips entries that are damaged. Throws a DebugSymbolsError if the table itself is damaged, or if
 * following it would take too long.
 */
export function readX64Unwind(pe: Pe, sink: SymbolSink): void {
  let budget = MAX_STEPS * 1024;
  const readCode = openCode(pe);
  for (const entry of readFunctionEntries(pe)) {
    const chain = readChain(pe, entry.info);
    budget += MAX_STEPS - (chain ?? []).reduce((sum, { steps }) => sum + 1 + steps.length, 1);
    if (budget < 0) throw new DebugSymbolsError('too-large', 'the unwind information is too entangled');
    if (chain !== undefined) sink.callFrames(describeFunction(entry, chain, readCode));
  }
}

/** Returns code of the file; an empty array if it isn't there. */
type ReadCode = (address: number, size: number) => Uint8Array;

/**
 * Returns a function that reads code. It reads more than it is asked for, because the functions of a table follow each
 * other. As they don't overlap, all together are smaller than the file; the code of those in a damaged file is not read.
 */
function openCode(pe: Pe): ReadCode {
  let budget = pe.source.size;
  let code: Uint8Array = NO_CODE;
  let start = 0;
  return (address, size) => {
    budget -= size;
    if (budget < 0) return NO_CODE;
    if (address < start || address + size > start + code.length) {
      const section = pe.sectionAt(address);
      const available = section === undefined ? 0 : section.address + section.fileSize - address;
      if (available < size) return NO_CODE;
      code = pe.source.read(pe.offsetOf(address), Math.min(available, Math.max(size, CODE_READ_SIZE)));
      start = address;
    }
    return code.subarray(address - start, address - start + size);
  };
}

/** Returns the unwind information of a function and of its parents; undefined if any of it cannot be read. */
function readChain(pe: Pe, start: number): UnwindInfo[] | undefined {
  const chain: UnwindInfo[] = [];
  try {
    let next: number | undefined = start;
    for (let length = 0; next !== undefined; length++) {
      if (length > MAX_CHAIN) return undefined;
      if (next % 2 === 1) {
        // Instead of an UNWIND_INFO, this is another entry of the table, with which the function shares everything.
        next = pe.reader.u32(pe.offsetOf(next - 1 + 8));
        if (chain.length === 0) chain.push(NO_PROLOGUE);
        continue;
      }
      const info = readUnwindInfo(pe, next);
      if (info === undefined) return undefined;
      chain.push(info);
      next = info.parent;
    }
    return chain;
  } catch (error) {
    if (error instanceof DebugSymbolsError) return undefined;
    throw error;
  }
}

/**
 * Returns the rules of a function. `chain` has its own unwind information first, then that of its parents, whose prologues
 * ran before it was entered.
 *
 * There is a row for each step of the prologue, so the rules hold at each of its instructions:
 *
 *     push rbx; sub rsp, 32
 *     STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa 8 - ^
 *     STACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa 16 - ^
 *     STACK CFI 1005 .cfa: $rsp 48 +
 */
function describeFunction({ address, size }: FunctionEntry, chain: UnwindInfo[], readCode: ReadCode): CallFrameRecord {
  const frame = new Frame();
  const record: CallFrameRecord = { address, size, rules: '', changes: [] };
  // Parents come first. Mozilla's dump_syms runs the chain from this function upwards, so it gets offsets wrong.
  for (let index = chain.length - 1; index > 0; index--) frame.run(chain[index]!);
  const own = chain[0]!;
  frame.begin(own);
  let position = 0;
  for (const step of own.steps) {
    // A step that claims to end before the previous one is damaged. Its effect is counted from there on.
    if (step.after > position) {
      addRow(record, address + position, frame.takeChanges());
      position = step.after;
    }
    if (position >= size) return record;
    frame.step(step, own);
  }
  addRow(record, address + position, frame.takeChanges());
  addEpilogues(record, frame, chain, position, readCode);
  return record;
}

/** `bodyStart` is where the prologue ends, in bytes from the start of the function. */
function addEpilogues(
  record: CallFrameRecord,
  frame: Frame,
  chain: UnwindInfo[],
  bodyStart: number,
  readCode: ReadCode,
): void {
  const pops = findPops(chain);
  if (pops === undefined || frame.isInterrupt) return;
  const { address, size } = record;
  const own = chain[0]!;
  let epilogues = own.epilogues.toSorted((a, b) => b.fromEnd - a.fromEnd);
  // A function that neither pushes nor allocates anything has nothing to undo.
  if (own.version === 1 && !frame.isAt(8)) epilogues = findEpilogues(readCode(address, size), frame, pops);
  let earliest = bodyStart;
  for (const epilogue of epilogues) {
    const start = size - epilogue.fromEnd;
    if (start < earliest || epilogue.size > epilogue.fromEnd) continue;
    addEpilogue(record, frame, pops, epilogue);
    earliest = start + epilogue.size;
  }
}

function addRow(record: CallFrameRecord, address: number, rules: string): void {
  if (rules === '') return;
  if (address === record.address) record.rules = rules;
  else record.changes.push({ address, rules });
}
