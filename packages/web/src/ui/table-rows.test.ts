import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { selectTo, sortRows, toggleSorting } from './table-rows.ts';

const columns = [{ header: 'Name' }, { header: 'Size', compare: (a: number, b: number) => a - b }];

describe('toggleSorting', () => {
  it('goes from ascending to descending to the original order', () => {
    const ascending = toggleSorting(null, 'Size');
    const descending = toggleSorting(ascending, 'Size');
    assert.deepEqual(ascending, { header: 'Size', direction: 'ascending' });
    assert.deepEqual(descending, { header: 'Size', direction: 'descending' });
    assert.equal(toggleSorting(descending, 'Size'), null);
  });

  it('starts with ascending when another column is chosen', () => {
    assert.deepEqual(toggleSorting({ header: 'Name', direction: 'descending' }, 'Size'), {
      header: 'Size',
      direction: 'ascending',
    });
  });
});

describe('sortRows', () => {
  it('sorts by the chosen column in the chosen direction', () => {
    assert.deepEqual(sortRows([2, 3, 1], columns, { header: 'Size', direction: 'ascending' }), [1, 2, 3]);
    assert.deepEqual(sortRows([2, 3, 1], columns, { header: 'Size', direction: 'descending' }), [3, 2, 1]);
  });

  it('keeps the order of the rows if nothing is chosen or the column has no order', () => {
    assert.deepEqual(sortRows([2, 3, 1], columns, null), [2, 3, 1]);
    assert.deepEqual(sortRows([2, 3, 1], columns, { header: 'Name', direction: 'ascending' }), [2, 3, 1]);
  });
});

const IDS = ['a', 'b', 'c', 'd', 'e'];

test('a press with Shift selects the rows in between, in both directions', () => {
  assert.deepEqual(selectTo(IDS, ['b'], 'd', 9), ['b', 'c', 'd']);
  assert.deepEqual(selectTo(IDS, ['e', 'd'], 'b', 9), ['e', 'd', 'c', 'b']);
});

test('without a row to begin from, it selects one row', () => {
  assert.deepEqual(selectTo(IDS, [], 'd', 9), ['d']);
  assert.deepEqual(selectTo(IDS, ['gone'], 'd', 9), ['gone', 'd']);
});

test('no more rows are selected than can be', () => {
  assert.deepEqual(selectTo(IDS, ['a'], 'e', 3), ['a', 'b', 'c']);
});
