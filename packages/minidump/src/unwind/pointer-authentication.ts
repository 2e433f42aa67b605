// Takes the signature off signed pointers of arm64.
import type { Surroundings } from './unwinder.ts';

/** Apple’s systems use 47 bits for addresses, and sign with the rest. */
const APPLE_BITS = 47n;

/**
 * The address without its signature. ARMv8.3 signs return addresses and frame pointers in the bits that no address uses:
 * 0x00a1_8001_0024_5678 may be 0x1_0024_5678. How many bits are used is set by the system and is not in the dump: at least as many as the
 * highest module needs.
 */
export function stripPointer(pointer: bigint, { modules }: Surroundings): bigint {
  const needed = BigInt(modules.end.toString(2).length);
  return BigInt.asUintN(Number(needed > APPLE_BITS ? needed : APPLE_BITS), pointer);
}
