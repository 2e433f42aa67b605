import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatBuildLabel, namesShown, readExplorer, seriesOfNames, seriesOfParts, spanOf } from './explore.ts';

describe('readExplorer and namesShown', () => {
  it('read the URL and ignore invalid values', () => {
    assert.deepEqual(
      readExplorer({ events: 'quit,a%2Cb,quit', range: '24h', step: 'day', split: 'none', table: '1' }),
      {
        names: ['quit', 'a,b'],
        range: '24h',
        step: 'hour',
        split: 'none',
        hidden: [],
        hasTable: true,
      },
    );
    const { names, range, step, split } = readExplorer({ events: 'a,b,c,d,e', range: 'year', split: 'x' });
    assert.deepEqual([names, range, step, split], [['a', 'b', 'c', 'd'], '7d', 'day', 'none']);
  });

  it('select one event if the chart is split', () => {
    assert.deepEqual(readExplorer({ events: 'a,b', split: 'os' }).names, ['a']);
  });

  it('show the most frequent events by default', () => {
    const events = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    assert.deepEqual(namesShown(readExplorer({}), events), ['a', 'b', 'c']);
    assert.deepEqual(namesShown(readExplorer({ split: 'build' }), events), ['a']);
    assert.deepEqual(namesShown(readExplorer({ events: 'z' }), events), ['z']);
  });
});

describe('spanOf', () => {
  const now = new Date('2026-11-21T18:30:00Z');

  it('ends with the current hour or day', () => {
    assert.deepEqual(spanOf({ range: '24h', step: 'hour' }, now), {
      from: '2026-11-20T19:00:00.000Z',
      to: '2026-11-21T19:00:00.000Z',
    });
    assert.deepEqual(spanOf({ range: '30d', step: 'day' }, now), {
      from: '2026-10-23T00:00:00.000Z',
      to: '2026-11-22T00:00:00.000Z',
    });
  });

  it('stays the same until the next hour or day, so that nothing is loaded twice', () => {
    const later = new Date('2026-11-21T18:59:59Z');
    assert.deepEqual(spanOf({ range: '7d', step: 'hour' }, later), spanOf({ range: '7d', step: 'hour' }, now));
  });
});

describe('seriesOfNames and seriesOfParts', () => {
  const times = ['t1', 't2'];
  const counted = (key: string | null, count: number) => ({
    key,
    label: key === null ? null : `Version ${key}`,
    total: count,
    points: [{ at: 't1', count }],
  });
  const look = (key: string, label: string | null) => ({ colour: 5, label: label ?? key });

  it('return one series for each name, with zeros while counts are loading', () => {
    const series = seriesOfNames(['a', 'b'], [[counted(null, 3)], undefined], times);
    assert.deepEqual(
      series.map(({ key, values }) => [key, [...values.values()]]),
      [
        ['a', [3, 0]],
        ['b', [0, 0]],
      ],
    );
  });

  it('return the largest parts and one series for all others, each with its own pattern', () => {
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

describe('formatBuildLabel', () => {
  it('formats the platform, and a deleted build', () => {
    assert.equal(formatBuildLabel('1.2.0-rc 1 linux x86_64'), '1.2.0-rc 1 Linux x86_64');
    assert.equal(formatBuildLabel(null), 'Deleted build');
  });
});
