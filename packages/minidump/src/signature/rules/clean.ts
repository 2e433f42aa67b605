// The rule that reduces a signature to one printable line.
import { toPrintable } from '../printable.ts';
import type { Rule } from './rule.ts';

export const cleanRule: Rule = {
  name: 'clean',
  applies: (_, signature) => toPrintable(signature) !== signature,
  act: (_, signature) => ({ signature: toPrintable(signature), notes: ['removed unprintable characters'] }),
};
