// The rules for statements that Citus runs in a shard: those of rowsOfGame, rowsOfAllGames and rowsInShard
// (packages/server/src/kernel/database/shards.ts). On a plain PostgreSQL nothing would notice that one is broken.
import { MAX_PARAMETERS } from '../../packages/server/src/kernel/database/shards.ts';
import { kindOf } from './compare.ts';
import type { Field } from './declare.ts';
import type { Column } from './describe.ts';
import { type Part, textOf } from './values.ts';

/**
 * There, parameters have no types, so each needs a cast, and a statement has at most 80. The rows pass
 * through JSON, in which times and bytes are text and a `numeric` is a number. A sentence for each rule that is broken.
 */
export function checkInShard(parts: readonly Part[], columns: readonly Column[], fields: readonly Field[]): string[] {
  const findings: string[] = [];
  const text = textOf(parts);
  let count = 0;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    count += 1;
    if (!new RegExp(`\\$${count}::|\\bcast\\(\\s*\\$${count} as\\b`).test(text))
      findings.push(
        `parameter $${count} has no cast, but the statement can run in a shard: ${part.parameter.getText()}`,
      );
  }
  if (count > MAX_PARAMETERS)
    findings.push(`the statement has ${count} parameters, but it can run in a shard, with at most ${MAX_PARAMETERS}`);
  for (const { name, type } of columns) {
    const changes = ['Date', 'bytes'].includes(kindOf(type) ?? '') || type === 'numeric';
    if (changes && fields.some((field) => field.name === name))
      findings.push(`${name} has the type ${type}, but the statement can run in a shard, whose rows pass through JSON`);
  }
  return findings;
}
