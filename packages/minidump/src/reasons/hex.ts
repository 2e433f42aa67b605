// Formats codes that have no name, and reads the bit fields in those of Mach exceptions.
import type { Exception } from '../streams/exception.ts';

/** Formats the low 32 bits: `0x000000ff`. */
export function hex32(code: number): string {
  return `0x${(code >>> 0).toString(16).padStart(8, '0')}`;
}

/** Formats 64 bits: `0x00000000000000ff`. */
export function hex64(code: bigint): string {
  return `0x${BigInt.asUintN(64, code).toString(16).padStart(16, '0')}`;
}

/** Formats the code and the flags of an unknown exception like Breakpad: `0x0000002a / 0x00000001`. */
export function hexReason({ code, flags }: Exception): string {
  return `${hex32(code)} / ${hex32(flags)}`;
}

/** Returns the bits `high` to `low` of `code`, inclusive, in the notation of the kernel's headers: `[60:58]`. */
export function bits(code: bigint, high: number, low: number): number {
  return Number(BigInt.asUintN(high - low + 1, code >> BigInt(low)));
}
