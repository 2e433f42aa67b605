import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { namesShown, readExplored, sayBuild, seriesOfNames, seriesOfParts, spanOf } from './explore.ts';

describe('what the explorer shows', () => {
  it('is read from its address, and what cannot be is left out', () => {
    assert.deepEqual(
      readExplored({ events: 'quit,a%2Cb,quit', range: '24h', step: 'day', split: 'none', table: '1' }),
      {
        names: ['quit', 'a,b'],
        range: '24h',
        step: 'hour',
        split: 'none',
        hidden: [],
        hasTable: true,
      },
    );
    const { names, range, step, split } = readExplored({ events: 'a,b,c,d,e', range: 'year', split: 'x' });
    assert.deepEqual([names, range, step, split], [['a', 'b', 'c', 'd'], '7d', 'day', 'none']);
  });

  it('is one event where it is split', () => {
    assert.deepEqual(readExplored({ events: 'a,b', split: 'os' }).names, ['a']);
  });

  it('begins with the most frequent events', () => {
    const known = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    assert.deepEqual(namesShown(readExplored({}), known), ['a', 'b', 'c']);
    assert.deepEqual(namesShown(readExplored({ split: 'build' }), known), ['a']);
    assert.deepEqual(namesShown(readExplored({ events: 'z' }), known), ['z']);
  });
});

describe('the span of a chart', () => {
  const now = new Date('2026-11-21T18:30:00Z');

  it('ends with the hour or the day that is not over', () => {
    assert.deepEqual(spanOf({ range: '24h', step: 'hour' }, now), {
      from: '2026-11-20T19:00:00.000Z',
      to: '2026-11-21T19:00:00.000Z',
    });
    assert.deepEqual(spanOf({ range: '30d', step: 'day' }, now), {
      from: '2026-10-23T00:00:00.000Z',
      to: '2026-11-22T00:00:00.000Z',
    });
  });

  it('stays the same within it, so that nothing is asked for twice', () => {
    const later = new Date('2026-11-21T18:59:59Z');
    assert.deepEqual(spanOf({ range: '7d', step: 'hour' }, later), spanOf({ range: '7d', step: 'hour' }, now));
  });
});

describe('the series of the explorer', () => {
  const times = ['t1', 't2'];
  const counted = (key: string | null, count: number) => ({
    key,
    label: key === null ? null : `Version ${key}`,
    total: count,
    points: [{ at: 't1', count }],
  });
  const look = (key: string, label: string | null) => ({ colour: 5, label: label ?? key });

  it('are one for each name, with zeros while its counts are not there', () => {
    const series = seriesOfNames(['a', 'b'], [[counted(null, 3)], undefined], times);
    assert.deepEqual(
      series.map(({ key, values }) => [key, [...values.values()]]),
      [
        ['a', [3, 0]],
        ['b', [0, 0]],
      ],
    );
  });

  it('are the largest parts and all others together, each with a pattern of its own', () => {
    const parts = ['5', '4', '3', '2', '1'].map((key) => counted(key, Number(key)));
    const series = seriesOfParts([...parts, counted(null, 9)], look, times);
    assert.deepEqual(
      series.map(({ label, pattern, values }) => [label, pattern, values.get('t1')]),
      [
        ['Version 5', 0, 5],
        ['Version 4', 1, 4],
        ['Version 3', 2, 3],
        ['All others', 3, 12],
      ],
    );
  });
});

describe('sayBuild', () => {
  it('says a build in the words of the site', () => {
    assert.equal(sayBuild('1.2.0-rc 1 linux x86_64'), '1.2.0-rc 1 Linux x86_64');
    assert.equal(sayBuild(null), 'A build that is gone');
  });
});
