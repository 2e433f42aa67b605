import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filtersOf } from './audit-search.ts';

test('the filters include the whole last day', () => {
  const { from = '', to = '' } = filtersOf({ from: '2026-11-24', to: '2026-11-24' });
  const hours = (new Date(to).getTime() - new Date(from).getTime()) / 3_600_000;
  assert.ok(hours >= 23 && hours <= 25);
});

test('what the API would refuse is left out', () => {
  assert.deepEqual(filtersOf({ kind: 'robot', what: 'channels.', from: 'yesterday', who: '', search: '' }), {});
  assert.deepEqual(filtersOf({ kind: 'agent', what: 'channels' }), { kind: 'agent', what: 'channels' });
});
