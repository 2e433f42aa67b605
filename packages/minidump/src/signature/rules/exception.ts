// The rule for exceptions of managed code and of text reports: puts the type and the message before the frames.
import { cutTo, toPrintable } from '../printable.ts';
import type { Rule } from './rule.ts';

/** Characters: enough for a sentence, and leaves room for the frames. */
const MAX_HEAD = 150;

/** `TypeError` with the message `reading 'hp'` becomes `TypeError: reading 'hp' | player.update`. */
export const exceptionRule: Rule = {
  name: 'exception',
  applies: ({ exception }) => headOf(exception) !== '',
  act({ exception }, signature) {
    const head = headOf(exception);
    return {
      signature: signature === '' ? head : `${head} | ${signature}`,
      notes: [`the signature begins with ${head}`],
    };
  },
};

function headOf(exception: { readonly type: string; readonly message: string } | null | undefined): string {
  if (!exception) return '';
  return cutTo([exception.type, exception.message].map(toPrintable).filter(Boolean).join(': '), MAX_HEAD);
}
