// Finds a caller by STACK CFI rules.
import type { Registers } from '../contexts/cpu.ts';
import { applyCfi } from '../symbols/cfi.ts';
import type { CfiRules } from '../symbols/module-symbols.ts';
import type { Caller, StackFrame, Technique, UnwindContext } from './unwinder.ts';

export const byCfi: Technique = (frame, context) => {
  const rules = rulesOf(frame);
  return rules && unwindByRules(rules, frame.registers, context);
};

/** Returns the rules for the instruction of the frame. */
export function rulesOf({ module, symbols, instruction }: StackFrame): CfiRules | undefined {
  return module === undefined ? undefined : symbols?.cfiAt(Number(instruction - module.base));
}

/**
 * Applies the rules without checking the result: compilers know the layout of their functions, and a check would reject
 * callers outside all modules, such as JIT code.
 */
export function unwindByRules(
  rules: CfiRules,
  registers: Registers,
  { cpu, memory, budget }: UnwindContext,
): Caller | 'end' | undefined {
  for (const rule of rules) budget.steps -= rule.length;
  const caller = applyCfi(rules, cpu, registers, memory);
  return caller === 'end' || caller === undefined ? caller : { registers: caller, trust: 'cfi' };
}
