// The rule for crashes without usable data: the signature says what is missing.
import { hasAssertion } from './assertion.ts';
import type { Rule } from './rule.ts';

export const noDataRule: Rule = {
  name: 'no-data',
  applies: (facts, signature) => signature === '' && !hasAssertion(facts),
  act({ frames, reason }) {
    const problem = frames === null ? 'no crashing thread identified' : 'no frame data available';
    return { signature: `EMPTY: ${problem}${reason ? `; ${reason}` : ''}`, notes: [problem] };
  },
};
