import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionsFrom, findId, parseLabels, readStatusFilter } from './bug-status.ts';

describe('the status of a ticket', () => {
  it('has an action for each of the other two states', () => {
    const labels = (['open', 'fixed', 'closed'] as const).map((status) =>
      actionsFrom(status).map(({ label }) => label),
    );
    assert.deepEqual(labels, [
      ['Mark as fixed…', 'Close'],
      ['Reopen', 'Close'],
      ['Reopen', 'Mark as fixed…'],
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

it('parseLabels separates labels at commas, without repetitions', () => {
  assert.deepEqual(parseLabels(' physics, level 2,,physics , '), ['physics', 'level 2']);
  assert.deepEqual(parseLabels(' '), []);
});

it('findId finds the ID in an address', () => {
  const id = '01a1ff85-9ec1-787f-9de0-c917371bd17d';
  assert.equal(findId(`https://games.example.com/dev/walk/crashes/groups/${id.toUpperCase()}?x=1`), id);
  assert.equal(findId('Lamp::on'), undefined);
});
