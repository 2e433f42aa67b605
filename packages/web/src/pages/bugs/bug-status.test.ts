import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionsFrom, excerptOf, readStatusFilter } from './bug-status.ts';

describe('the status of a ticket', () => {
  it('has an action for each of the other two states', () => {
    const labels = (['open', 'fixed', 'closed'] as const).map((status) =>
      actionsFrom(status).map(({ label }) => label),
    );
    assert.deepEqual(labels, [
      ['Mark as fixed', 'Close'],
      ['Reopen', 'Close'],
      ['Reopen', 'Mark as fixed'],
    ]);
  });

  it('is read from the URL, and is open by default', () => {
    assert.deepEqual([undefined, 'all', 'closed', 'ALL', 'constructor'].map(readStatusFilter), [
      'open',
      'all',
      'closed',
      'open',
      'open',
    ]);
  });
});

describe('excerptOf', () => {
  it('formats a message on one line', () => {
    assert.equal(excerptOf('  The door\n\n\tis stuck '), 'The door is stuck');
  });
});
