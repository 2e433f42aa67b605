// Evaluates STACK CFI: from a frame’s registers to its caller’s. The rules are those of Breakpad’s document on symbol files.
import type { Cpu, Registers } from '../contexts/cpu.ts';
import type { MemoryReader } from '../memory.ts';
import type { CfiRules } from './module-symbols.ts';
import { compute, isBinary, MAX_DEPTH, type Machine, readLiteral } from './postfix.ts';

/**
 * The caller’s registers; or `end` where the rules say that there is no caller; or undefined when they cannot be evaluated: no rule for
 * `.cfa`, a register that is not known, memory that is not in the dump. A rule for another register that fails costs that register alone.
 *
 * A program's first function has no caller: its debug information calls the return address undefined, which writers of symbol files
 * put down as `.ra: .undef`, or by leaving `.ra` out, for example `STACK CFI INIT 1f10 2a .cfa: $rsp 8 +` of `_start`.
 */
export function applyCfi(
  rules: CfiRules,
  cpu: Cpu,
  callee: Registers,
  memory: MemoryReader,
): Registers | 'end' | undefined {
  const expressions = collectRules(rules);
  const machine: Machine = {
    bits: cpu.wordSize === 8 ? 64 : 32,
    load: (address) => memory.word(address, cpu.wordSize),
  };
  const evaluation = { cpu, callee, machine };
  const cfa = evaluate(expressions.get('.cfa'), { ...evaluation, cfa: undefined });
  if (cfa === undefined) return undefined;
  const returnRule = expressions.get('.ra');
  if (returnRule === undefined || (returnRule.length === 1 && returnRule[0] === '.undef')) return 'end';
  const returnAddress = evaluate(returnRule, { ...evaluation, cfa });
  if (returnAddress === undefined) return undefined;

  const caller = keepCalleeSaved(cpu, callee);
  caller.set(cpu.stackPointer, cfa);
  caller.set(cpu.instructionPointer, returnAddress);
  expressions.delete('.cfa');
  expressions.delete('.ra');
  for (const [name, expression] of expressions) {
    setOrForget(caller, nameRegister(name, cpu), evaluate(expression, { ...evaluation, cfa }));
  }
  return caller;
}

/** The registers that a function hands back as it found them. */
export function keepCalleeSaved(cpu: Cpu, callee: Registers): Map<string, bigint> {
  const kept = new Map<string, bigint>();
  for (const name of cpu.calleeSaved) setOrForget(kept, name, callee.get(name));
  return kept;
}

function setOrForget(registers: Map<string, bigint>, name: string, value: bigint | undefined): void {
  if (value === undefined) registers.delete(name);
  else registers.set(name, value);
}

/** How many bytes below the CFA the rules say that a register is saved; undefined when they say no such thing. */
export function savedBelowCfa(rules: CfiRules, register: string): bigint | undefined {
  const expression = collectRules(rules).get(register) ?? [];
  const [base, offset = '', operator, load] = expression;
  if (expression.length !== 4 || base !== '.cfa' || load !== '^' || !/^-?\d{1,9}$/.test(offset)) return undefined;
  if (operator === '-') return BigInt(offset);
  return operator === '+' ? -BigInt(offset) : undefined;
}

/** Tokens by register: `.cfa: $rsp 8 + .ra: .cfa 8 - ^`. A later rule for a register takes the place of an earlier one. */
function collectRules(rules: CfiRules): Map<string, string[]> {
  const expressions = new Map<string, string[]>();
  for (const rule of rules) {
    let current: string[] = [];
    for (const token of rule.split(' ')) {
      if (token === '') continue;
      if (token.endsWith(':')) {
        current = [];
        expressions.set(token.slice(0, -1), current);
      } else current.push(token);
    }
  }
  return expressions;
}

/** `$rsp`, `rsp` and, for a register of several names, any of them. */
function nameRegister(name: string, cpu: Cpu): string {
  const bare = name.startsWith('$') ? name.slice(1) : name;
  return cpu.aliases.get(bare) ?? bare;
}

type Evaluation = {
  readonly cpu: Cpu;
  readonly callee: Registers;
  readonly machine: Machine;
  readonly cfa: bigint | undefined;
};

function evaluate(expression: readonly string[] | undefined, evaluation: Evaluation): bigint | undefined {
  if (expression === undefined) return undefined;
  const stack: bigint[] = [];
  for (const token of expression) {
    const value = step(token, stack, evaluation);
    if (value === undefined || stack.length >= MAX_DEPTH) return undefined;
    stack.push(value);
  }
  return stack.length === 1 ? stack[0] : undefined;
}

function step(token: string, stack: bigint[], { cpu, callee, machine, cfa }: Evaluation): bigint | undefined {
  if (token === '.cfa') return cfa;
  if (token === '^') {
    const address = stack.pop();
    return address === undefined ? undefined : machine.load(address);
  }
  if (isBinary(token)) {
    const right = stack.pop();
    const left = stack.pop();
    return left === undefined || right === undefined ? undefined : compute(token, left, right, machine);
  }
  return readLiteral(token, machine) ?? callee.get(nameRegister(token, cpu));
}
