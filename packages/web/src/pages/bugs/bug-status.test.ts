import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerptOf, readShown, stepsFrom } from './bug-status.ts';

describe('the status of a ticket', () => {
  it('leads from each state to the two others', () => {
    const labels = (['open', 'fixed', 'closed'] as const).map((status) => stepsFrom(status).map(({ label }) => label));
    assert.deepEqual(labels, [
      ['Mark fixed', 'Close'],
      ['Open again', 'Close'],
      ['Open again', 'Mark fixed'],
    ]);
  });

  it('is read from an address, and is open where that names none', () => {
    assert.deepEqual([undefined, 'all', 'closed', 'ALL', 'constructor'].map(readShown), [
      'open',
      'all',
      'closed',
      'open',
      'open',
    ]);
  });
});

describe('excerptOf', () => {
  it('puts a message on one line', () => {
    assert.equal(excerptOf('  The door\n\n\tis stuck '), 'The door is stuck');
  });
});
