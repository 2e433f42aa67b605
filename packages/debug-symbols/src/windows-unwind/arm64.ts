// Reads how to unwind arm64 code of Windows, from `.pdata` and `.xdata`. Both are described in Microsoft's "ARM64 exception
// handling".
import { DebugSymbolsError } from '../error.ts';
import type { Pe } from '../pe/pe.ts';
import type { CallFrameRecord, SymbolSink } from '../symbol-sink.ts';
import { decodeSequence, type Operation, type Sequence } from './arm64-codes.ts';
import { expandPacked } from './arm64-packed.ts';
import { type Arm64Function, isPacked, readArm64FunctionRanges } from './arm64-table.ts';
import { RowWriter, type Rules } from './row-writer.ts';

/** What a function does to its frame, and where. */
interface Arm64Unwind {
  prologue: Sequence;
  /** The epilogues by ascending start, which is in bytes from the start of the function. */
  epilogues: { start: number; sequence: Sequence }[];
}

const INSTRUCTION_SIZE = 4;
/**
 * How many operations a function may have, on average. Real ones have about ten. Only a damaged file in which all functions
 * share a long list of epilogues has more.
 */
const MAX_OPERATIONS = 128;

/**
 * Writes rules for all functions with unwind information. Functions without it leave the stack pointer and the link
 * register alone. Skips functions whose information is damaged. Throws a DebugSymbolsError if the table itself is damaged,
 * or if following it would take too long.
 */
export function readArm64Unwind(pe: Pe, sink: SymbolSink): void {
  let budget = MAX_OPERATIONS * 1024;
  for (const entry of readArm64FunctionRanges(pe)) {
    const unwind = readUnwind(pe, entry, budget);
    budget += MAX_OPERATIONS - (unwind === undefined ? 1 : countOperations(unwind));
    if (budget < 0) throw new DebugSymbolsError('too-large', 'the unwind information is too entangled');
    if (unwind !== undefined) sink.callFrames(describeFunction(entry, unwind));
  }
}

function countOperations({ prologue, epilogues }: Arm64Unwind): number {
  return epilogues.reduce((sum, { sequence }) => sum + 1 + sequence.operations.length, 1 + prologue.operations.length);
}

/** Returns undefined for information that is damaged or of an unknown kind. */
function readUnwind(pe: Pe, { size, unwind }: Arm64Function, budget: number): Arm64Unwind | undefined {
  if (!isPacked(unwind)) return readFullUnwind(pe, unwind, size, budget);
  const packed = expandPacked(unwind);
  if (packed === undefined) return undefined;
  const { prologue, epilogue } = packed;
  return { prologue, epilogues: epilogue === undefined ? [] : [atEnd(epilogue, size)] };
}

function atEnd(sequence: Sequence, size: number): { start: number; sequence: Sequence } {
  // The last instruction is the return, which no operation describes.
  return { start: size - (sequence.length + 1) * INSTRUCTION_SIZE, sequence };
}

function readFullUnwind(pe: Pe, address: number, size: number, budget: number): Arm64Unwind | undefined {
  try {
    const { reader } = pe;
    let at = pe.offsetOf(address);
    const header = reader.u32(at);
    if ((header >>> 18) & 3) return undefined;
    let epilogueField = (header >>> 22) & 0x1f;
    let codeWords = header >>> 27;
    at += 4;
    if (epilogueField === 0 && codeWords === 0) {
      const extension = reader.u32(at);
      epilogueField = extension & 0xffff;
      codeWords = (extension >>> 16) & 0xff;
      at += 4;
    }
    const isSingle = (header & (1 << 21)) !== 0;
    const scopeCount = isSingle ? 0 : epilogueField;
    if (scopeCount > budget) throw new DebugSymbolsError('too-large', 'the unwind information is too entangled');
    const scopes = Array.from({ length: scopeCount }, (_, index) => reader.u32(at + 4 * index));
    at += 4 * scopeCount;
    const codes = Uint8Array.from({ length: 4 * codeWords }, (_, index) => reader.u8(at + index));
    return decodeUnwind(codes, isSingle ? epilogueField : undefined, scopes, size);
  } catch (error) {
    if (error instanceof DebugSymbolsError && error.code === 'truncated') return undefined;
    throw error;
  }
}

/**
 * Returns the prologue and epilogues of a function. `last` is the index of the codes for a single epilogue at its end. Each
 * scope has the start of an epilogue in its lower 18 bits, counted in instructions, and the index of its codes in the upper
 * 10.
 */
function decodeUnwind(
  codes: Uint8Array,
  last: number | undefined,
  scopes: number[],
  size: number,
): Arm64Unwind | undefined {
  const sequences = new Map<number, Sequence | undefined>();
  const sequenceAt = (index: number) => {
    if (!sequences.has(index)) sequences.set(index, decodeSequence(codes, index));
    return sequences.get(index);
  };
  const prologue = sequenceAt(0);
  if (prologue === undefined) return undefined;
  const epilogues: Arm64Unwind['epilogues'] = [];
  if (last !== undefined) {
    const sequence = sequenceAt(last);
    if (sequence !== undefined) epilogues.push(atEnd(sequence, size));
  }
  for (const scope of scopes) {
    const sequence = sequenceAt(scope >>> 22);
    if (sequence !== undefined) epilogues.push({ start: (scope & 0x3ffff) * INSTRUCTION_SIZE, sequence });
  }
  return { prologue, epilogues };
}

/**
 * Returns the rules of a function. There is a row for each instruction of the prologue and of the epilogues:
 *
 *     stp x29, x30, [sp, -32]!; mov x29, sp; …; ldp x29, x30, [sp], 32; ret
 *     STACK CFI INIT 1000 40 .cfa: sp 0 + .ra: x30
 *     STACK CFI 1004 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
 *     STACK CFI 1008 .cfa: x29 32 +
 *     STACK CFI 1038 .cfa: sp 32 +
 *     STACK CFI 103c .cfa: sp 0 + .ra: x30 x29: x29
 */
function describeFunction(
  { address, size }: { address: number; size: number },
  { prologue, epilogues }: Arm64Unwind,
): CallFrameRecord {
  const writer = new RowWriter(address, size);
  const states = runOperations(prologue.operations);
  // What ran in another part of the function comes first.
  const first = prologue.operations.length - prologue.length;
  for (let done = 0; done <= prologue.length; done++) {
    writer.add(address + done * INSTRUCTION_SIZE, states[first + done]!);
  }
  let position = address + prologue.length * INSTRUCTION_SIZE;
  for (const { start, sequence } of epilogues) {
    const { operations, length } = sequence;
    // An epilogue inside of another one is damaged.
    if (address + start < position) continue;
    const remaining = runOperations(operations);
    position = address + start;
    for (let undone = 0; undone <= length; undone++) {
      writer.add(position, remaining[operations.length - undone]!);
      position += INSTRUCTION_SIZE;
    }
    writer.add(position, states.at(-1)!);
  }
  return writer.record;
}

/**
 * Returns the rules after each number of operations, from none to all. An epilogue undoes operations in the opposite order,
 * so the rules in the middle of it are those after the operations that it has not undone yet.
 */
function runOperations(operations: Operation[]): Rules[] {
  // Depths are in bytes below the CFA, which is the caller's stack pointer.
  let depth = 0;
  let pointerDepth: number | undefined;
  const saved = new Map<number, number>();
  const states: Rules[] = [listRules(depth, pointerDepth, saved)];
  for (let index = operations.length - 1; index >= 0; index--) {
    const operation = operations[index]!;
    if (operation.kind === 'allocate') depth += operation.size;
    else if (operation.kind === 'set-frame') pointerDepth = depth - operation.offset;
    else if (operation.kind === 'save') {
      depth += operation.size;
      const top = depth - operation.offset;
      for (const [number, register] of operation.registers.entries()) {
        // The first time, it is the caller's value that is saved.
        if (!saved.has(register)) saved.set(register, top - number * 8);
      }
    }
    states.push(listRules(depth, pointerDepth, saved));
  }
  return states;
}

const FIRST_SAVED = 19;
const LINK_REGISTER = 30;

function listRules(depth: number, pointerDepth: number | undefined, saved: ReadonlyMap<number, number>): Rules {
  const rules = new Map([
    ['.cfa', pointerDepth === undefined ? `sp ${depth} +` : `x29 ${pointerDepth} +`],
    ['.ra', 'x30'],
  ]);
  for (const [register, slot] of saved) {
    if (register === LINK_REGISTER) rules.set('.ra', `.cfa ${-slot} + ^`);
    else if (register >= FIRST_SAVED && register < LINK_REGISTER) rules.set(`x${register}`, `.cfa ${-slot} + ^`);
  }
  return rules;
}
