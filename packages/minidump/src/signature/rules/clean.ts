// The rule that makes a signature one printable line.
import { toPrintable } from '../printable.ts';
import type { Rule } from './rule.ts';

export const cleanRule: Rule = {
  name: 'clean',
  applies: (_, signature) => toPrintable(signature) !== signature,
  act: (_, signature) => ({ signature: toPrintable(signature), notes: ['left out what does not print'] }),
};
