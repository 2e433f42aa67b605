import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDone, formatSnooze } from './describe-group.ts';

test('a snooze is described by all that ends it', () => {
  assert.equal(formatSnooze({ until: null, reports: 1, next_build: false }), 'for 1 more report');
  assert.equal(
    formatSnooze({ until: null, reports: 20, next_build: true }),
    'for 20 more reports, or until it happens in a new build',
  );
  assert.match(formatSnooze({ until: '2026-12-01T09:00:00.000Z', reports: null, next_build: false }), /^until .*2026/);
});

test('a message counts the groups', () => {
  assert.equal(formatDone(1, 'ignored'), 'Group ignored.');
  assert.equal(formatDone(12, 'ignored'), '12 groups ignored.');
});
