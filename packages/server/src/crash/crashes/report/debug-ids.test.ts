import assert from 'node:assert/strict';
import { test } from 'node:test';
import { debugIdAt, storedDebugIds } from './debug-ids.ts';

const ID = '85314830-023f-4cf1-a267-535f4e37bb17';
const STORED = '85314830023F4CF1A267535F4E37BB170';

test('ids are found for the same script, whatever its query is', () => {
  const ids = storedDebugIds({ 'https://a.example/assets/game.js?v=3': ID });
  assert.deepEqual(ids, { '~/assets/game.js': STORED });
  assert.equal(debugIdAt(ids, 'https://a.example/assets/game.js'), STORED);
  assert.equal(debugIdAt(ids, 'https://a.example/assets/other.js'), '');
  assert.equal(debugIdAt(null, 'https://a.example/assets/game.js'), '');
});

test('invalid ids, places without a script, and ambiguous ones are left out', () => {
  const other = ID.replace('8', '9');
  const scripts = { 'https://a.example/a.js': ID, 'https://b.example/a.js': other, 'https://a.example/b.js': 'x' };
  assert.equal(storedDebugIds({ ...scripts, '<anonymous>': ID, '': ID }), null);
  assert.equal(storedDebugIds(undefined), null);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`https://a.example/${index}.js`, ID]));
  assert.equal(Object.keys(storedDebugIds(many) ?? {}).length, 32);
});
