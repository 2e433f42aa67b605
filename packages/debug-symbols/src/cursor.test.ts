import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cursor, MAX_TEXT } from './cursor.ts';

test('a very long text is cut off, and the next value is read', () => {
  const cursor = new Cursor(Buffer.from(`${'n'.repeat(MAX_TEXT + 1)}\0\x07`));
  assert.equal(cursor.text(), 'n'.repeat(MAX_TEXT));
  assert.equal(cursor.u8(), 7);
});
