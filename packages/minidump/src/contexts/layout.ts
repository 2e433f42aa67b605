// Reads registers that a CPU context holds one after the other.
import type { Bytes } from '../bytes.ts';
import { MinidumpError } from '../error.ts';

/** A run of registers of the same size. */
export type Run = { readonly at: number; readonly names: readonly string[] };

/** Reads all runs; a register is `wordSize` bytes. */
export function readRuns(bytes: Bytes, wordSize: 4 | 8, runs: readonly Run[]): Map<string, bigint> {
  const registers = new Map<string, bigint>();
  for (const { at, names } of runs) {
    for (const [index, name] of names.entries()) {
      const place = at + index * wordSize;
      registers.set(name, wordSize === 8 ? bytes.u64(place) : BigInt(bytes.u32(place)));
    }
  }
  return registers;
}

/** The flags of a context name its CPU: a context of another one would be read as nonsense. */
export function checkFlags(found: number, expected: number, cpu: string): void {
  if ((found & expected) !== 0) return;
  throw new MinidumpError('malformed', `a context with flags 0x${found.toString(16)} is not one of ${cpu}`);
}
