import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeFresh } from './merge-fresh.ts';

type Item = { id: string; count: number };
const items = (text: string): Item[] =>
  text === '' ? [] : text.split(' ').map((each) => ({ id: each[0] ?? '', count: Number(each.slice(1)) }));
const merge = (shown: string, fresh: string, isWhole = false) =>
  mergeFresh(items(shown), items(fresh), { idOf: ({ id }) => id, isWhole });
const say = (rows: ReturnType<typeof merge>['rows']) =>
  rows.map(({ item, isGone }) => `${item.id}${item.count}${isGone ? '!' : ''}`).join(' ');

describe('mergeFresh', () => {
  it('changes rows in their places, whatever their order is now, and lets others wait', () => {
    const { rows, arrivals, hasMore } = merge('a1 b1 c1', 'c2 x1 a1');
    assert.deepEqual([say(rows), arrivals, hasMore], ['a1 b1 c2', 1, false]);
  });

  it('tells what is gone only where it has the whole list', () => {
    assert.equal(say(merge('a1 b1', 'a1').rows), 'a1 b1');
    assert.equal(say(merge('a1 b1', 'a1', true).rows), 'a1 b1!');
  });

  it('says that there may be more where all of a page is new', () => {
    assert.deepEqual([merge('a1', 'x1 y1').hasMore, merge('a1', 'x1 y1', true).hasMore], [true, false]);
  });
});
