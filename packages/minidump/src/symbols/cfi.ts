// Evaluates STACK CFI rules: computes the caller's registers from those of a frame. The rules are described in
// Breakpad's symbol file documentation, "STACK CFI records".
import { type Cpu, type Registers, setOrDelete } from '../contexts/cpu.ts';
import type { MemoryReader } from '../memory.ts';
import type { CfiRules } from './module-symbols.ts';
import { compute, isBinary, MAX_STACK_DEPTH, type Machine, readLiteral } from './postfix.ts';

/**
 * Returns the caller's registers. Returns `end` if the rules say that there is no caller, and undefined if they cannot be
 * evaluated: `.cfa` has no rule, a register is unknown, or memory is not in the dump. If the rule of any other register
 * fails, only that register is missing.
 *
 * The first function of a program has no caller. In its debug information, the return address is undefined. Writers of
 * symbol files represent this as `.ra: .undef` or omit `.ra`, as in `STACK CFI INIT 1f10 2a .cfa: $rsp 8 +` for `_start`.
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

  const caller = copyCalleeSaved(cpu, callee);
  caller.set(cpu.stackPointer, cfa);
  caller.set(cpu.instructionPointer, returnAddress);
  expressions.delete('.cfa');
  expressions.delete('.ra');
  for (const [name, expression] of expressions) {
    setOrDelete(caller, nameRegister(name, cpu), evaluate(expression, { ...evaluation, cfa }));
  }
  return caller;
}

/** Returns the callee-saved registers, which have the same values in the caller. */
function copyCalleeSaved(cpu: Cpu, callee: Registers): Map<string, bigint> {
  const registers = new Map<string, bigint>();
  for (const name of cpu.calleeSaved) setOrDelete(registers, name, callee.get(name));
  return registers;
}

/** Returns how many bytes below the CFA a register is saved according to its rule; undefined if the rule is different. */
export function savedBelowCfa(rules: CfiRules, register: string): bigint | undefined {
  const expression = collectRules(rules).get(register) ?? [];
  const [base, offset = '', operator, load] = expression;
  if (expression.length !== 4 || base !== '.cfa' || load !== '^' || !/^-?\d{1,9}$/.test(offset)) return undefined;
  if (operator === '-') return BigInt(offset);
  return operator === '+' ? -BigInt(offset) : undefined;
}

/** Returns the tokens of each register's rule: `.cfa: $rsp 8 + .ra: .cfa 8 - ^`. A later rule replaces an earlier one. */
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

/** Accepts `$rsp`, `rsp`, and any alias of a register. */
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
    if (value === undefined || stack.length >= MAX_STACK_DEPTH) return undefined;
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
