// Finds what the expressions that statements are built of can be, without running the program: values that are known only
// at run time stay unknown and become parameters, and where the program decides, each alternative is taken once.
import type { Expression, Node } from 'typescript/unstable/ast';
import { DeadEnd, Interpreter, Unfollowed } from './interpreter.ts';
import type { Sources } from './sources.ts';
import type { Value } from './values.ts';

/** Each way is taken once, and then others together, up to this number of runs. */
const MAX_COMBINATIONS = 16;
const MAX_RUNS = 200;

/** What a statement evaluates to, for each way through the code; or why it cannot be known. */
export function evaluateAll(
  sources: Sources,
  expression: Expression,
  reached: Set<Node>,
  bindsAll = false,
): { values: Value[]; problems: Unfollowed[] } {
  const covered = new Set<string>();
  const next: ReadonlyMap<string, number>[] = [new Map()];
  const combinations: ReadonlyMap<string, number>[] = [];
  const values: Value[] = [];
  const problems: Unfollowed[] = [];
  for (let runs = 0; runs < MAX_RUNS; runs += 1) {
    const plan = next.shift() ?? (runs < MAX_COMBINATIONS ? combinations.shift() : undefined);
    if (plan === undefined) break;
    const run = new Interpreter(sources, plan, reached, bindsAll);
    try {
      values.push(run.evaluateAround(expression));
    } catch (error) {
      if (error instanceof Unfollowed) problems.push(error);
      else if (!(error instanceof DeadEnd)) throw error;
    }
    const taken = new Map<string, number>();
    for (const { key, point, taken: index, alternatives } of run.decisions) {
      covered.add(`${point}:${index}`);
      // What was planned was already combined with what comes before it.
      for (let other = 0; other < alternatives && !plan.has(key); other += 1) {
        if (other === index) continue;
        const isNew = !covered.has(`${point}:${other}`);
        covered.add(`${point}:${other}`);
        (isNew ? next : combinations).push(new Map([...taken, [key, other]]));
      }
      taken.set(key, index);
    }
  }
  // Most statements don't depend on what the callers pass as text, so these are read only where they must be.
  return problems.length > 0 && !bindsAll ? evaluateAll(sources, expression, reached, true) : { values, problems };
}
