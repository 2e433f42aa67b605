// Finds a caller by the rules of STACK CFI.
import type { Registers } from '../contexts/cpu.ts';
import { applyCfi } from '../symbols/cfi.ts';
import type { CfiRules } from '../symbols/module-symbols.ts';
import type { Caller, StackFrame, Surroundings, Technique } from './unwinder.ts';

export const byCfi: Technique = (frame, around) => {
  const rules = rulesOf(frame);
  return rules && unwindByRules(rules, frame.registers, around);
};

/** The rules that hold where the frame stands. */
export function rulesOf({ module, symbols, instruction }: StackFrame): CfiRules | undefined {
  return module === undefined ? undefined : symbols?.cfiAt(Number(instruction - module.base));
}

/** Takes what the rules give as it is: whoever wrote them knew the function, and checks would reject callers in code without a module. */
export function unwindByRules(
  rules: CfiRules,
  registers: Registers,
  { cpu, memory, budget }: Surroundings,
): Caller | 'end' | undefined {
  for (const rule of rules) budget.steps -= rule.length;
  const caller = applyCfi(rules, cpu, registers, memory);
  return caller === 'end' || caller === undefined ? caller : { registers: caller, trust: 'cfi' };
}
