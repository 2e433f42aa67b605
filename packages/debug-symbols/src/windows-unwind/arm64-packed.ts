// Expands packed unwind information of arm64 code of Windows: one word that describes a prologue as the compiler usually
// generates it. The instructions are listed in Microsoft's "ARM64 exception handling", "Packed unwind data".
import type { Operation, Sequence } from './arm64-codes.ts';

const FIRST_SAVED = 19;
const LINK_REGISTER = 30;
/** Larger frames are allocated by two instructions. The immediate operand of the first has its largest value. */
const MAX_ALLOCATION = 4080;
/** The largest frame whose allocation is part of storing x29 and the link register. */
const MAX_WRITE_BACK = 512;
const SIGN: Operation = { kind: 'nothing' };
/** Stores two parameters where the caller reserved no memory for them. */
const STORE_PARAMETERS: Operation = { kind: 'nothing' };

export interface PackedUnwind {
  prologue: Sequence;
  /** The only epilogue is at the end of the function. Undefined for a part without one. */
  epilogue: Sequence | undefined;
}

/** Returns undefined for a word that no prologue fits. */
export function expandPacked(word: number): PackedUnwind | undefined {
  const flag = word & 3;
  if (flag === 3) return undefined;
  const prologue = listPrologue(word);
  if (prologue === undefined) return undefined;
  const operations = prologue.toReversed();
  // A part without prologue and epilogue runs after the prologue of another part.
  if (flag === 2) return { prologue: { operations, length: 0 }, epilogue: undefined };
  // The epilogue neither reloads parameters nor resets the stack pointer from x29, which has the same value.
  const undone = operations.filter((operation) => operation !== STORE_PARAMETERS && operation.kind !== 'set-frame');
  return {
    prologue: { operations, length: operations.length },
    epilogue: { operations: undone, length: undone.length },
  };
}

/** Returns the instructions of the prologue in the order of execution; undefined if the sizes contradict each other. */
function listPrologue(word: number): Operation[] | undefined {
  const floatField = (word >>> 13) & 7;
  const integerCount = (word >>> 16) & 0xf;
  const homesParameters = (word & (1 << 20)) !== 0;
  const link = (word >>> 21) & 3;
  const frameSize = (word >>> 23) * 16;
  const savesLink = link === 1;
  const isChained = link >= 2;
  const floatCount = floatField === 0 ? 0 : floatField + 1;
  const integerSize = (integerCount + (savesLink ? 1 : 0)) * 8;
  const savedSize = integerSize + floatCount * 8;
  const homeSize = homesParameters && savedSize > 0 ? 64 : 0;
  const area = (savedSize + homeSize + 15) & ~15;
  const rest = frameSize - area;
  if (rest < 0 || integerCount > 10) return undefined;
  const operations = link === 2 ? [SIGN] : [];
  operations.push(...saveRegisters(integerCount, floatCount, savesLink, area));
  if (homeSize > 0) operations.push(STORE_PARAMETERS, STORE_PARAMETERS, STORE_PARAMETERS, STORE_PARAMETERS);
  if (rest > 0) operations.push(...(isChained ? chainFrame(rest) : allocate(rest)));
  return operations;
}

/** Stores x19 and the following registers, the link register, then d8 and the following ones, two at a time. */
function saveRegisters(integers: number, floats: number, savesLink: boolean, area: number): Operation[] {
  const registers = Array.from({ length: integers }, (_, index) => FIRST_SAVED + index);
  if (savesLink) registers.push(LINK_REGISTER);
  const groups = [...pairsOf(registers), ...pairsOf(new Array<undefined>(floats).fill(undefined))];
  // The first one allocates the area for all. No instruction does that for the pair of x19 and the link register.
  const isSeparate = integers === 1 && savesLink;
  const operations: Operation[] = isSeparate ? [{ kind: 'allocate', size: area }] : [];
  let offset = 0;
  for (const group of groups) {
    const size = offset === 0 && !isSeparate ? area : 0;
    operations.push({ kind: 'save', size, offset, registers: group.filter((register) => register !== undefined) });
    offset += group.length * 8;
  }
  return operations;
}

function pairsOf<Item>(items: Item[]): Item[][] {
  const pairs: Item[][] = [];
  for (let index = 0; index < items.length; index += 2) pairs.push(items.slice(index, index + 2));
  return pairs;
}

/** Stores x29 and the link register at the bottom of the frame, and makes x29 point to them. */
function chainFrame(size: number): Operation[] {
  const registers = [29, LINK_REGISTER];
  const setFrame: Operation = { kind: 'set-frame', offset: 0 };
  if (size <= MAX_WRITE_BACK) return [{ kind: 'save', size, offset: 0, registers }, setFrame];
  return [...allocate(size), { kind: 'save', size: 0, offset: 0, registers }, setFrame];
}

function allocate(size: number): Operation[] {
  if (size <= MAX_ALLOCATION) return [{ kind: 'allocate', size }];
  return [
    { kind: 'allocate', size: MAX_ALLOCATION },
    { kind: 'allocate', size: size - MAX_ALLOCATION },
  ];
}
