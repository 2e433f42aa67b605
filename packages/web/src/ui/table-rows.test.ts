import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { mergeFresh, selectTo, sortRows, toggleSorting } from './table-rows.ts';

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

type Item = { id: string; count: number };
const parse = (text: string): Item[] =>
  text === '' ? [] : text.split(' ').map((each) => ({ id: each[0] ?? '', count: Number(each.slice(1)) }));
const merge = (shown: string, fresh: string, isWhole = false) =>
  mergeFresh(parse(shown), parse(fresh), { idOf: ({ id }) => id, isWhole });
const format = (rows: ReturnType<typeof merge>['rows']) =>
  rows.map(({ item, isGone }) => `${item.id}${item.count}${isGone ? '!' : ''}`).join(' ');

describe('mergeFresh', () => {
  it('updates rows in place whatever their current order is, and only counts new ones', () => {
    const { rows, arrivals, hasMore } = merge('a1 b1 c1', 'c2 x1 a1');
    assert.deepEqual([format(rows), arrivals, hasMore], ['a1 b1 c2', 1, false]);
  });

  it('marks missing rows as gone only if the list is complete', () => {
    assert.equal(format(merge('a1 b1', 'a1').rows), 'a1 b1');
    assert.equal(format(merge('a1 b1', 'a1', true).rows), 'a1 b1!');
  });

  it('reports that there may be more new rows if a whole page is new', () => {
    assert.deepEqual([merge('a1', 'x1 y1').hasMore, merge('a1', 'x1 y1', true).hasMore], [true, false]);
  });
});
