// The rule that limits the length of a signature.
import { cutTo } from '../printable.ts';
import type { Rule } from './rule.ts';

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
