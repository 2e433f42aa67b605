// Arithmetic of unwind rules, which are written in postfix notation: `$rsp 8 +`. Values wrap at the CPU’s word.

/** What an operator needs: the word size in bits, and a word of memory (undefined where the dump has none). */
export type Machine = {
  readonly bits: 32 | 64;
  load(address: bigint): bigint | undefined;
};

/** A rule deeper than this is damage: real ones need three. */
export const MAX_DEPTH = 64;

/** The result of `left operator right`; undefined for what has none: a division by zero, an alignment to no power of two. */
export function compute(operator: string, left: bigint, right: bigint, { bits }: Machine): bigint | undefined {
  switch (operator) {
    case '+':
      return BigInt.asUintN(bits, left + right);
    case '-':
      return BigInt.asUintN(bits, left - right);
    case '*':
      return BigInt.asUintN(bits, left * right);
    case '/':
      return right === 0n ? undefined : left / right;
    case '%':
      return right === 0n ? undefined : left % right;
    default:
      return alignDown(left, right);
  }
}

/** Whether the token takes two values; `^`, which loads from memory, takes one and is not among them. */
export function isBinary(token: string): boolean {
  return token.length === 1 && '+-*/%@'.includes(token);
}

/** The value of a decimal literal, which may be negative; undefined for anything else. */
export function readLiteral(token: string, { bits }: Machine): bigint | undefined {
  // Longer than 64 bits need is damage, and converting it would take time that grows with the square of its length.
  return /^-?\d{1,20}$/.test(token) ? BigInt.asUintN(bits, BigInt(token)) : undefined;
}

function alignDown(value: bigint, alignment: bigint): bigint | undefined {
  const isPowerOfTwo = alignment !== 0n && (alignment & (alignment - 1n)) === 0n;
  return isPowerOfTwo ? value - (value % alignment) : undefined;
}
