// Reads the compact unwind information of macOS and iOS: 32 bits for each function.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { describeArm64 } from './arm64.ts';
import { readCompactTable } from './table.ts';
import { describeX86, type ReadCode, X86, X86_64 } from './x86.ts';

export interface CompactUnwindOptions {
  /**
   * Returns code of the module, by an address relative to its start; undefined if it isn't there. It is needed for frames
   * of x86 that are too large for an encoding.
   */
  readCode: ReadCode;
}

/**
 * Writes rules for the functions of a section `__unwind_info`. The rules are those after the prologue: the format has none
 * for the prologue itself. Functions that need more than an encoding are left out; `__eh_frame` has them.
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
  const describe = chooseEncoding(cpu, readCode);
  if (describe === undefined) return;
  for (const { address, size, encoding } of readCompactTable(section)) {
    const rules = describe(encoding, address);
    if (rules !== undefined) sink.callFrames({ address, size, rules, changes: [] });
  }
}

type Describe = (encoding: number, address: number) => string | undefined;

function chooseEncoding(cpu: string, readCode: ReadCode): Describe | undefined {
  switch (cpu) {
    case 'x86':
      return (encoding, address) => describeX86(encoding, address, X86, readCode);
    case 'x86_64':
      return (encoding, address) => describeX86(encoding, address, X86_64, readCode);
    case 'arm64':
    case 'arm64e':
      return (encoding) => describeArm64(encoding);
    default:
      return undefined;
  }
}
