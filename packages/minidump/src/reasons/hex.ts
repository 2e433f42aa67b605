// How a code is written that has no name.
import type { Exception } from '../streams/exception.ts';

/** `0x000000ff`: the low 32 bits. */
export function hex32(code: number): string {
  return `0x${(code >>> 0).toString(16).padStart(8, '0')}`;
}

/** `0x00000000000000ff`. */
export function hex64(code: bigint): string {
  return `0x${BigInt.asUintN(64, code).toString(16).padStart(16, '0')}`;
}

/** Code and flags of an exception that nothing is known about: `0x0000002a / 0x00000001`, as Breakpad prints it. */
export function hexReason({ code, flags }: Exception): string {
  return `${hex32(code)} / ${hex32(flags)}`;
}
