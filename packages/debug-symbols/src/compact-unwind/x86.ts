// Explains compact unwind encodings of x86 and x86_64. The bits are those of Apple's header
// mach-o/compact_unwind_encoding.h.
import type { Rules } from '../windows-unwind/row-writer.ts';

/** Returns the code from an address on: `length` bytes, or fewer at the end of a section; undefined if there is none. */
export type ReadCode = (address: number, length: number) => Uint8Array | undefined;

export interface X86Cpu {
  wordSize: number;
  stackPointer: string;
  framePointer: string;
  /** Registers by their numbers in encodings; '' for none. */
  registers: readonly string[];
  /** The forms of `push rbp; mov rbp, rsp`. */
  frameSetups: readonly [Uint8Array, Uint8Array];
}

export const X86: X86Cpu = {
  wordSize: 4,
  stackPointer: '$esp',
  framePointer: '$ebp',
  registers: ['', '$ebx', '$ecx', '$edx', '$edi', '$esi', '$ebp', ''],
  frameSetups: [Uint8Array.of(0x55, 0x89, 0xe5), Uint8Array.of(0x55, 0x8b, 0xec)],
};

export const X86_64: X86Cpu = {
  wordSize: 8,
  stackPointer: '$rsp',
  framePointer: '$rbp',
  registers: ['', '$rbx', '$r12', '$r13', '$r14', '$r15', '$rbp', ''],
  frameSetups: [Uint8Array.of(0x55, 0x48, 0x89, 0xe5), Uint8Array.of(0x55, 0x48, 0x8b, 0xec)],
};

const REGISTER_COUNT = 6;

/**
 * Returns the rules of a function after its prologue, by its encoding and address. Returns undefined if the encoding doesn't
 * have them: there are none, or they are in `__eh_frame`.
 */
export function describeX86(encoding: number, address: number, cpu: X86Cpu, readCode: ReadCode): Rules | undefined {
  switch ((encoding >>> 24) & 0xf) {
    case 1:
      return describeFrame(encoding, cpu);
    case 2:
      return describeFrameless(encoding, ((encoding >>> 16) & 0xff) * cpu.wordSize, cpu);
    case 3: {
      const size = readIndirectSize(encoding, address, cpu, readCode);
      return size === undefined ? undefined : describeFrameless(encoding, size, cpu);
    }
    default:
      return undefined;
  }
}

/** The frame pointer is pushed first. Up to five registers are at a distance below it, in three bits each. */
function describeFrame(encoding: number, { wordSize, framePointer, registers }: X86Cpu): Rules {
  const rules = new Map([
    ['.cfa', `${framePointer} ${2 * wordSize} +`],
    [framePointer, `.cfa ${-2 * wordSize} + ^`],
    ['.ra', `.cfa ${-wordSize} + ^`],
  ]);
  const lowest = -2 * wordSize - ((encoding >>> 16) & 0xff) * wordSize;
  for (let slot = 0; slot < 5; slot++) {
    const name = registers[(encoding >>> (3 * slot)) & 7]!;
    if (name !== '' && name !== framePointer) rules.set(name, `.cfa ${lowest + slot * wordSize} + ^`);
  }
  return rules;
}

/** Registers are pushed first, so they are right below the return address. */
function describeFrameless(encoding: number, size: number, { wordSize, stackPointer, registers }: X86Cpu): Rules {
  const rules = new Map([
    ['.cfa', `${stackPointer} ${size} +`],
    ['.ra', `.cfa ${-wordSize} + ^`],
  ]);
  const saved = decodePermutation((encoding >>> 10) & 7, encoding & 0x3ff);
  for (const [index, number] of saved.entries()) {
    rules.set(registers[number]!, `.cfa ${-(1 + saved.length - index) * wordSize} + ^`);
  }
  return rules;
}

/**
 * Returns the numbers of the saved registers, by ascending address. The order is a number in a mixed radix: its digits
 * choose one of six registers, then one of the remaining five, and so on. The last digit has the weight 1.
 */
export function decodePermutation(count: number, permutation: number): number[] {
  const remaining = [1, 2, 3, 4, 5, 6];
  const saved: number[] = [];
  let rest = permutation;
  for (let index = 0; index < Math.min(count, REGISTER_COUNT); index++) {
    let weight = 1;
    for (let later = index + 1; later < count; later++) weight *= REGISTER_COUNT - later;
    const [register] = remaining.splice(Math.floor(rest / weight), 1);
    rest %= weight;
    if (register !== undefined) saved.push(register);
  }
  return saved;
}

/**
 * Reads the size of a frame that is too large for an encoding from the instruction that allocates it, such as
 * `sub rsp, 4096`. The encoding has the place of the operand, and what is pushed in addition to it.
 */
function readIndirectSize(
  encoding: number,
  address: number,
  { wordSize }: X86Cpu,
  readCode: ReadCode,
): number | undefined {
  const operand = readCode(address + ((encoding >>> 16) & 0xff), 4);
  if (operand === undefined || operand.length < 4) return undefined;
  const allocated = operand[0]! | (operand[1]! << 8) | (operand[2]! << 16) | (operand[3]! << 24);
  return allocated < 0 ? undefined : allocated + ((encoding >>> 13) & 7) * wordSize;
}
