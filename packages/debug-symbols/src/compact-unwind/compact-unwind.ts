// Reads the compact unwind information of macOS and iOS: 32 bits for each function.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { RowWriter, type Rules } from '../windows-unwind/row-writer.ts';
import { describeArm64 } from './arm64.ts';
import { MAX_PROLOGUE_SIZE as ARM64_PROLOGUE_SIZE, describeArm64Prologue } from './arm64-prologue.ts';
import { readCompactTable } from './table.ts';
import { describeX86, type ReadCode, X86, X86_64, type X86Cpu } from './x86.ts';
import { describeX86Prologue, type Row, MAX_PROLOGUE_SIZE as X86_PROLOGUE_SIZE } from './x86-prologue.ts';

export interface CompactUnwindOptions {
  /** Returns code of the module, by an address relative to its start; undefined if it isn't there. */
  readCode: ReadCode;
}

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
  for (const { address, size, encoding } of readCompactTable(section)) {
    const body = format.describe(encoding, address);
    if (body === undefined) continue;
    const code =
      encoding >>> 31 === NOT_FUNCTION_START ? undefined : readCode(address, Math.min(size, format.prologueSize));
    const rows = code && format.follow(code, body);
    const writer = new RowWriter(address, size);
    for (const { position, rules } of rows ?? [{ position: 0, rules: body }]) writer.add(address + position, rules);
    sink.callFrames(writer.record);
  }
}

/** The upper bit of an encoding says that the code continues a function. */
const NOT_FUNCTION_START = 1;

interface Format {
  /** Returns the rules after the prologue; undefined if an encoding has none. */
  describe(encoding: number, address: number): Rules | undefined;
  /** How many bytes of code to look for a prologue in. */
  prologueSize: number;
  /** Returns the rules in the prologue; undefined if the code has none. */
  follow(code: Uint8Array, body: Rules): Row[] | undefined;
}

function chooseFormat(cpu: string, readCode: ReadCode): Format | undefined {
  switch (cpu) {
    case 'x86':
      return formatOfX86(X86, readCode);
    case 'x86_64':
      return formatOfX86(X86_64, readCode);
    case 'arm64':
    case 'arm64e':
      return { describe: describeArm64, prologueSize: ARM64_PROLOGUE_SIZE, follow: describeArm64Prologue };
    default:
      return undefined;
  }
}

function formatOfX86(cpu: X86Cpu, readCode: ReadCode): Format {
  return {
    describe: (encoding, address) => describeX86(encoding, address, cpu, readCode),
    prologueSize: X86_PROLOGUE_SIZE,
    follow: (code, body) => describeX86Prologue(code, body, cpu),
  };
}
