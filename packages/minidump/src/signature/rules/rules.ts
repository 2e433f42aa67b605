// The signature rules in order. A new rule is one file and one line here.
import { assertionRule } from './assertion.ts';
import { badHardwareRule } from './bad-hardware.ts';
import { cleanRule } from './clean.ts';
import { exceptionRule } from './exception.ts';
import { messageRule } from './message.ts';
import { noDataRule } from './no-data.ts';
import { outOfMemoryRule } from './out-of-memory.ts';
import type { Rule } from './rule.ts';
import { stackRule } from './stack.ts';
import { stackOverflowRule } from './stack-overflow.ts';
import { truncateRule } from './truncate.ts';

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
