import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { chartSpanOf, seriesOf } from './chart.ts';

const NOW = new Date('2026-11-21T17:03:05Z');
const span = (requested: Parameters<typeof chartSpanOf>[0]) => {
  const { from, to, step } = chartSpanOf(requested, NOW);
  return [from.toISOString(), to.toISOString(), step];
};

describe('the span of a chart', () => {
  it('is the last 30 days and today by default', () => {
    assert.deepEqual(span({}), ['2026-10-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z', 'day']);
  });

  it('covers the requested times in whole hours or days', () => {
    const requested = { from: '2026-11-20T10:30:00Z', to: '2026-11-20T12:00:00.001+01:00' };
    assert.deepEqual(span({ ...requested, step: 'hour' }), [
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T12:00:00.000Z',
      'hour',
    ]);
    assert.deepEqual(span(requested), ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z', 'day']);
  });

  it('reads a time without a zone as UTC', () => {
    assert.deepEqual(span({ from: '2026-11-20T10:00', to: '2026-11-20T11:00:00', step: 'hour' }), [
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T11:00:00.000Z',
      'hour',
    ]);
  });

  it('is refused if it is invalid, backwards or too long', () => {
    for (const requested of [
      { from: 'yesterday' },
      { from: '2026-11-22', to: '2026-11-21' },
      { from: '2026-11-21', to: '2026-11-21' },
      { from: '2026-10-01', to: '2026-11-20', step: 'hour' as const },
      { from: '2024-11-20', to: '2026-11-20' },
    ])
      assert.throws(
        () => chartSpanOf(requested, NOW),
        (error) => error instanceof ApiError && error.code === 4002,
      );
    assert.doesNotThrow(() => chartSpanOf({ from: '2026-10-21', step: 'hour' }, NOW));
  });
});

describe('the series of a chart', () => {
  it('have the largest first, all others last, and points in order', () => {
    const [first, second] = [new Date('2026-11-20Z'), new Date('2026-11-21Z')];
    const series = seriesOf([
      { key: null, label: null, at: first, count: 90 },
      { key: 'a', label: null, at: second, count: 1 },
      { key: 'b', label: 'B', at: first, count: 5 },
      { key: 'a', label: null, at: first, count: 1 },
    ]);
    assert.deepEqual(
      series.map(({ key, label, total }) => [key, label, total]),
      [
        ['b', 'B', 5],
        ['a', null, 2],
        [null, null, 90],
      ],
    );
    assert.deepEqual(series[1]?.points, [
      { at: first.toISOString(), count: 1 },
      { at: second.toISOString(), count: 1 },
    ]);
  });
});
