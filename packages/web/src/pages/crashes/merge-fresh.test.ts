import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeFresh } from './merge-fresh.ts';

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
