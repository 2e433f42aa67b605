// Reads the bit fields that the kernel packs into the 64-bit codes of a Mach exception.

/** Returns the bits `high` to `low` of `code`, inclusive, in the notation of the kernel's headers: `[60:58]`. */
export function bits(code: bigint, high: number, low: number): number {
  return Number(BigInt.asUintN(high - low + 1, code >> BigInt(low)));
}
