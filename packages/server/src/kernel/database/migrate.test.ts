import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitStatements } from './migrate.ts';

test('statements end at semicolons', () => {
  assert.deepEqual(splitStatements('select 1; select 2;\n'), ['select 1', 'select 2']);
  assert.deepEqual(splitStatements('select 1'), ['select 1']);
  assert.deepEqual(splitStatements(' ;; \n'), []);
});

test('semicolons in texts, names, comments and functions end nothing', () => {
  for (const statement of [
    `select ';', 'it''s; here'`,
    'select 1 as ";"',
    'select 1 -- one; two\n + 1',
    'select /* a; b */ 1 / 2 - 3',
    'do $$ begin perform 1; end $$',
    `create function f() returns text language sql as $body$ select 'a;$$'; $body$`,
  ])
    assert.deepEqual(splitStatements(`${statement};\nselect 1`), [statement, 'select 1']);
});

test('comments alone are not a statement', () => {
  assert.deepEqual(splitStatements('-- What it does; and why.\n/* ; */\nselect 1;\n-- The end.\n'), [
    '-- What it does; and why.\n/* ; */\nselect 1',
  ]);
});

test('a parameter is not the start of a function', () => {
  assert.deepEqual(splitStatements('select $1; select $2'), ['select $1', 'select $2']);
});
