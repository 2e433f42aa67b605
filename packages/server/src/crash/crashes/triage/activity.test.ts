import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionedIn } from './activity.ts';

const members = ['Kim', 'Kim Park', 'Zoë', 'ana_m', 'Kim'].map((name, index) => ({ user_id: String(index), name }));
const idsIn = (comment: string) => mentionedIn(comment, members).map(({ user_id }) => user_id);

const CASES: readonly (readonly [comment: string, ids: readonly string[]])[] = [
  ['', []],
  ['Kim should look', []],
  ['@kim park: look', ['1']],
  ['@Kim, look', ['0', '4']],
  ['(@Zoë)', ['2']],
  ['@Kimberly', []],
  ['mail@kim', []],
  ['@ana_m @ANA_M', ['3']],
  ['@ana_m2', []],
  ['@@Zoë', ['2']],
  ['@', []],
];

for (const [comment, ids] of CASES)
  test(`${JSON.stringify(comment)} mentions ${ids.length} of the members`, () => {
    assert.deepEqual(idsIn(comment), ids);
  });
