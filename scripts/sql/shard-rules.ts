// The rules for statements that Citus runs in a shard: those of rowsOfGame, rowsOfAllGames and rowsInShard
// (packages/server/src/kernel/database/shards.ts). On a plain PostgreSQL nothing would notice that one is broken.
//
// - Such a statement is one that Citus can't plan by itself: it inserts rows of a query, deletes rows by their `ctid`, or
//   is recursive. All others, such as any `select`, `update` or `delete` with a single `game_id`, are executed with
//   `rows` and `changed`: Citus routes them to the server of the game, and none of the other rules apply.
// - It is passed to a function with its parameters, which are texts there. So each needs a cast, and a statement has at
//   most 80.
// - Its rows pass through JSON, in which times and bytes are text and a `numeric` is a number.
import { MAX_PARAMETERS } from '../../packages/server/src/kernel/database/shards.ts';
import { kindOf } from './compare.ts';
import type { Field } from './declare.ts';
import type { Column } from './describe.ts';
import { type Part, textOf } from './values.ts';

/** What Citus can't plan. */
const NEEDS_SHARD = /\binsert into\b|\bctid\b|\bwith recursive\b/;

/** A sentence for each rule that the statement breaks. */
export function checkInShard(parts: readonly Part[], columns: readonly Column[], fields: readonly Field[]): string[] {
  const findings: string[] = [];
  const text = textOf(parts);
  if (!NEEDS_SHARD.test(text))
    findings.push(
      'Citus can plan this statement: use rows or changed, which need no casts, instead of running it in a shard',
    );
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
