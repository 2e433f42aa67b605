// The rule for crashes that nothing can be said of, so that their group says why.
import type { Rule } from './rule.ts';

export const noDataRule: Rule = {
  name: 'no-data',
  applies: (_, signature) => signature === '',
  act({ frames, reason }) {
    const what = frames === null ? 'no crashing thread identified' : 'no frame data available';
    return { signature: `EMPTY: ${what}${reason ? `; ${reason}` : ''}`, notes: [what] };
  },
};
