// The rule that keeps a signature short enough for a column of a table.
import { cutTo } from '../printable.ts';
import type { Rule } from './rule.ts';

/** UTF-16 units; Socorro's limit, so that signatures can be compared. */
export const MAX_SIGNATURE = 255;

export const truncateRule: Rule = {
  name: 'truncate',
  applies: (_, signature) => signature.length > MAX_SIGNATURE,
  act: (_, signature) => ({
    signature: cutTo(signature, MAX_SIGNATURE),
    notes: [`cut from ${signature.length} to ${MAX_SIGNATURE} characters`],
  }),
};
