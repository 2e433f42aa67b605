// Reads runs of consecutive registers from a CPU context.
import type { Bytes } from '../bytes.ts';
import { MinidumpError } from '../error.ts';

/** Consecutive registers of the same size, from the offset `at`. */
export type Run = { readonly at: number; readonly names: readonly string[] };

/** Reads all runs. Each register has `wordSize` bytes. */
export function readRuns(bytes: Bytes, wordSize: 4 | 8, runs: readonly Run[]): Map<string, bigint> {
  const registers = new Map<string, bigint>();
  for (const { at, names } of runs) {
    for (const [index, name] of names.entries()) {
      const offset = at + index * wordSize;
      registers.set(name, wordSize === 8 ? bytes.u64(offset) : BigInt(bytes.u32(offset)));
    }
  }
  return registers;
}

/** Throws a MinidumpError if the flags of a context do not name the expected CPU. */
export function checkFlags(flags: number, expected: number, cpu: string): void {
  if ((flags & expected) !== 0) return;
  throw new MinidumpError('malformed', `the flags 0x${flags.toString(16)} are not those of an ${cpu} context`);
}
