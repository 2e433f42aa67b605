// Reads the fields that the kernel packs into the 64-bit codes of a Mach exception.

/** The bits `high` to `low` of `code`, both counted from 0 and included, as the kernel’s headers draw them: `[60:58]`. */
export function bits(code: bigint, high: number, low: number): number {
  return Number(BigInt.asUintN(high - low + 1, code >> BigInt(low)));
}
