// Removes the signature from signed arm64 pointers.
import type { UnwindContext } from './unwinder.ts';

/** Apple's systems use 47 bits for addresses and the other bits for signatures. */
const APPLE_BITS = 47n;

/**
 * Removes the signature of an address. ARMv8.3 (pointer authentication) signs return addresses and frame pointers in the
 * bits that no address uses: 0x00a1_8001_0024_5678 can be 0x1_0024_5678. The number of address bits depends on the OS and
 * is not in the dump, but it is at least what the highest module needs.
 */
export function stripPointer(pointer: bigint, { modules }: UnwindContext): bigint {
  const needed = BigInt(modules.end.toString(2).length);
  return BigInt.asUintN(Number(needed > APPLE_BITS ? needed : APPLE_BITS), pointer);
}
