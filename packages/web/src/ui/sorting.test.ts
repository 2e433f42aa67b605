import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sortRows, toggleSorting } from './sorting.ts';

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
