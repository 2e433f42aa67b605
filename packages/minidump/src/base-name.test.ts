import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseName } from './base-name.ts';

test('the last part of a path is its name, on Windows and elsewhere', () => {
  assert.deepEqual(['a', '/b/a', 'C:\\b\\a', 'b/c\\a', 'b/'].map(baseName), ['a', 'a', 'a', 'a', '']);
});
