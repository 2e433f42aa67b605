// Runs the programs of STACK WIN records. They come from the frame data of a PDB, and describe where an x86 function saves
// its caller's registers. The language is described in Breakpad's symbol file documentation, "STACK WIN records".
import type { MemoryReader } from '../memory.ts';
import { compute, isBinary, MAX_STACK_DEPTH, type Machine, readLiteral } from './postfix.ts';

/** Values by variable: `$eip`, `$T0`, `.raSearch`. */
export type Variables = Map<string, bigint>;

/** An item on a program's stack: a value, or the name of a variable that is read when its value is needed. */
type Operand = bigint | string;

/**
 * Runs a program such as `$T0 $ebp = $eip $T0 4 + ^ = …`. Returns the names of the variables that it set, and stores their
 * values in `variables`. Undefined if it is malformed, or reads an unset variable or memory that is not in the dump.
 */
export function runProgram(program: string, variables: Variables, memory: MemoryReader): Set<string> | undefined {
  const machine: Machine = { bits: 32, load: (address) => memory.word(address, 4) };
  const assigned = new Set<string>();
  const stack: Operand[] = [];
  for (const token of tokensOf(program)) {
    const done = token === '=' ? assign(stack, variables, assigned) : push(token, stack, variables, machine);
    if (!done || stack.length > MAX_STACK_DEPTH) return undefined;
  }
  return assigned;
}

/**
 * Splits a program into tokens. Some toolchains omit the space after an assignment: `$T0 $ebp =$eip $T0 4 + ^ =`. As
 * operators have only one character, a longer token that starts with `=` is two tokens.
 */
function tokensOf(program: string): string[] {
  return program
    .replaceAll('=', ' = ')
    .split(' ')
    .filter((token) => token !== '');
}

function assign(stack: Operand[], variables: Variables, assigned: Set<string>): boolean {
  const value = pop(stack, variables);
  const name = stack.pop();
  if (value === undefined || typeof name !== 'string') return false;
  variables.set(name, value);
  assigned.add(name);
  return true;
}

function push(token: string, stack: Operand[], variables: Variables, machine: Machine): boolean {
  const operand = read(token, stack, variables, machine);
  if (operand === undefined) return false;
  stack.push(operand);
  return true;
}

function read(token: string, stack: Operand[], variables: Variables, machine: Machine): Operand | undefined {
  if (token === '^') {
    const address = pop(stack, variables);
    return address === undefined ? undefined : machine.load(address);
  }
  if (isBinary(token)) {
    const right = pop(stack, variables);
    const left = pop(stack, variables);
    return left === undefined || right === undefined ? undefined : compute(token, left, right, machine);
  }
  if (token.startsWith('$') || token.startsWith('.')) return token;
  return readLiteral(token, machine);
}

function pop(stack: Operand[], variables: Variables): bigint | undefined {
  const operand = stack.pop();
  return typeof operand === 'string' ? variables.get(operand) : operand;
}
