// Reads the compact unwind information of macOS and iOS: 32 bits for each function.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { RowWriter, type Rules } from '../windows-unwind/row-writer.ts';
import { describeArm64 } from './arm64.ts';
import { findArm64Prologues, hasArm64Call } from './arm64-prologue.ts';
import { readCompactTable } from './table.ts';
import { describeX86, type ReadCode, X86, X86_64, type X86Cpu } from './x86.ts';
import { findX86Prologues, hasX86Call, type Row } from './x86-prologue.ts';

export interface CompactUnwindOptions {
  /** Reads code of the module. Addresses are relative to its start. */
  readCode: ReadCode;
}

/** A function can do something else before its prologue, such as return early. How far to look for it is a guess. */
const MAX_EARLY_CODE = 256;
/** Linkers merge the entries of neighbouring functions with the same frame. This is a limit on how much code is read. */
const MAX_CODE_SIZE = 0x100000;
/** This bit of an encoding says that the code continues a function. */
const NOT_FUNCTION_START = 0x8000_0000;

/**
 * Writes rules for the functions of a section `__unwind_info`. The format only has rules for the code after the prologue.
 * Those for the prologue come from its instructions, if they are as usual; otherwise, the rules are taken to hold from the
 * start. Functions that need more than an encoding are left out; `__eh_frame` has them.
 *
 * Functions with the encoding 0 are left out as well, because nothing is known about them: assembly language, and code that
 * was compiled without unwind tables. Mozilla's dump_syms takes all of them for leaf functions, which makes the whole of an
 * unoptimised program unwind wrongly.
 *
 * Throws a DebugSymbolsError if the table is damaged. Rules that were written before remain.
 */
export function readCompactUnwind(
  section: ByteSource,
  cpu: string,
  { readCode }: CompactUnwindOptions,
  sink: Pick<SymbolSink, 'callFrames'>,
): void {
  const format = chooseFormat(cpu, readCode);
  if (format === undefined) return;
  let end = 0;
  for (const { address, size, encoding } of readCompactTable(section)) {
    const body = format.describe(encoding, address);
    if (body === undefined) continue;
    const writer = new RowWriter(address, size);
    const isStart = (encoding & NOT_FUNCTION_START) === 0;
    // Functions that overlap are damaged. Their code would be read again and again.
    const code = isStart && address >= end ? readCode(address, Math.min(size, MAX_CODE_SIZE)) : undefined;
    end = Math.max(end, address + size);
    if (code === undefined) writer.add(address, body);
    else addRows(writer, body, code, format);
    sink.callFrames(writer.record);
  }
}

function addRows(writer: RowWriter, body: Rules, code: Uint8Array, { findPrologues, hasCall }: Format): void {
  const { address } = writer.record;
  let isFirst = true;
  for (const rows of findPrologues(code, body)) {
    const { position: start, rules } = rows[0]!;
    if (isFirst) {
      // Code that calls functions has a frame. It belongs to a prologue that was not recognized.
      const isBefore = start <= MAX_EARLY_CODE && !hasCall(code.subarray(0, start));
      writer.add(address, isBefore ? rules : body);
      isFirst = false;
    }
    for (const row of rows) writer.add(address + row.position, row.rules);
  }
  if (isFirst) writer.add(address, body);
}

interface Format {
  /** Returns the rules after the prologue; undefined if an encoding has none. */
  describe(encoding: number, address: number): Rules | undefined;
  /** Returns the rules in prologues, by ascending position. */
  findPrologues(code: Uint8Array, body: Rules): Iterable<Row[]>;
  hasCall(code: Uint8Array): boolean;
}

function chooseFormat(cpu: string, readCode: ReadCode): Format | undefined {
  switch (cpu) {
    case 'x86':
      return formatOfX86(X86, readCode);
    case 'x86_64':
      return formatOfX86(X86_64, readCode);
    case 'arm64':
    case 'arm64e':
      return { describe: describeArm64, findPrologues: findArm64Prologues, hasCall: hasArm64Call };
    default:
      return undefined;
  }
}

function formatOfX86(cpu: X86Cpu, readCode: ReadCode): Format {
  return {
    describe: (encoding, address) => describeX86(encoding, address, cpu, readCode),
    findPrologues: (code, body) => findX86Prologues(code, body, cpu),
    hasCall: hasX86Call,
  };
}
