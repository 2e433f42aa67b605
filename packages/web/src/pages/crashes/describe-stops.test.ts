import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatStop, formatTitle } from './describe-stops.ts';

describe('formatStop', () => {
  it('says whether stacks end in the module or are guessed after it, and in how many reports', () => {
    assert.equal(
      formatStop({ reports: 3, stopped: 3 }, 12),
      'Stacks end here too early in 3 of the latest 12 reports.',
    );
    assert.equal(
      formatStop({ reports: 3, stopped: 0 }, 200),
      'The frames after it are guessed in 3 of the latest 200 reports.',
    );
    assert.equal(
      formatStop({ reports: 3, stopped: 1 }, 3),
      'Stacks end here too early, or the frames after it are guessed, in 3 of the latest 3 reports.',
    );
  });

  it('leaves out the number of a single report', () => {
    assert.equal(formatStop({ reports: 1, stopped: 1 }, 1), 'The stack ends here too early.');
    assert.equal(formatStop({ reports: 1, stopped: 0 }, 1), 'The frames after it are guessed.');
  });
});

describe('formatTitle', () => {
  it('counts the modules', () => {
    assert.equal(formatTitle(1, 0), 'One module of your game has no symbols');
    assert.equal(formatTitle(3, 0), '3 modules of your game have no symbols');
    assert.equal(formatTitle(1, 1), 'One module keeps stacks from being complete');
    assert.equal(formatTitle(2, 1), '2 modules keep stacks from being complete');
  });
});
