// The signature rules in order. The shortest are here: for missing data, unprintable characters and long texts. A new rule
// is one export and one line at the end.

import { cutTo, toPrintable } from '../printable.ts';
import { badHardwareRule, outOfMemoryRule } from './faults.ts';
import { assertionRule, exceptionRule, hasAssertion, messageRule } from './reported-text.ts';
import type { Rule } from './rule.ts';
import { stackRule } from './stack.ts';
import { stackOverflowRule } from './stack-overflow.ts';

// The rule for crashes without usable data: the signature says what is missing.

export const noDataRule: Rule = {
  name: 'no-data',
  applies: (facts, signature) => signature === '' && !hasAssertion(facts),
  act({ frames, reason }) {
    const problem = frames === null ? 'no crashing thread identified' : 'no frame data available';
    return { signature: `EMPTY: ${problem}${reason ? `; ${reason}` : ''}`, notes: [problem] };
  },
};

// The rule that reduces a signature to one printable line.

export const cleanRule: Rule = {
  name: 'clean',
  applies: (_, signature) => toPrintable(signature) !== signature,
  act: (_, signature) => ({ signature: toPrintable(signature), notes: ['removed unprintable characters'] }),
};

// The rule that limits the length of a signature.

/** The unit is UTF-16 code units. The same limit as Socorro's, so that signatures can be compared. */
const MAX_SIGNATURE = 255;

export const truncateRule: Rule = {
  name: 'truncate',
  applies: (_, signature) => signature.length > MAX_SIGNATURE,
  act: (_, signature) => ({
    signature: cutTo(signature, MAX_SIGNATURE),
    notes: [`shortened from ${signature.length} to ${MAX_SIGNATURE} characters`],
  }),
};

/** The first four create a signature, the next four extend or replace it, and the last two clean it up. */
export const rules: readonly Rule[] = [
  stackRule,
  exceptionRule,
  messageRule,
  noDataRule,
  stackOverflowRule,
  badHardwareRule,
  outOfMemoryRule,
  assertionRule,
  cleanRule,
  truncateRule,
];
