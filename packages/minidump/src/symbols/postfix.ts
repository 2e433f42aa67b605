// The arithmetic of unwind rules, which use postfix notation: `$rsp 8 +`. Values wrap at the CPU's word size.

/** What operators need from the CPU and the dump. */
export type Machine = {
  /** The word size, in bits. */
  readonly bits: 32 | 64;
  /** Reads a word of memory; undefined if the dump does not contain it. */
  load(address: bigint): bigint | undefined;
};

/** The maximum number of values on the stack of a rule. Real rules need three; a rule that needs more is damaged. */
export const MAX_STACK_DEPTH = 64;

/** Returns `left operator right`; undefined for a division by zero or an alignment that is not a power of two. */
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

/** Whether the token is an operator with two operands. `^`, which loads from memory, has only one. */
export function isBinary(token: string): boolean {
  return token.length === 1 && '+-*/%@'.includes(token);
}

/** Returns the value of a decimal literal, which can be negative; undefined for other tokens. */
export function readLiteral(token: string, { bits }: Machine): bigint | undefined {
  // A 64-bit value has at most 20 digits. Converting a longer text would take time quadratic in its length.
  return /^-?\d{1,20}$/.test(token) ? BigInt.asUintN(bits, BigInt(token)) : undefined;
}

function alignDown(value: bigint, alignment: bigint): bigint | undefined {
  const isPowerOfTwo = alignment !== 0n && (alignment & (alignment - 1n)) === 0n;
  return isPowerOfTwo ? value - (value % alignment) : undefined;
}
