// Unit tests of the layout of charts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, highestSum, lineOf, scaleOf, shareScaleOf, ticksOf } from './bar-layout.ts';

const series = (values: Record<string, number>) => ({
  key: 'a',
  label: 'A',
  colour: 0,
  pattern: 0,
  values: new Map(Object.entries(values)),
});

test('a scale starts at 0, has round whole numbers, and covers the largest value', () => {
  assert.deepEqual(scaleOf(0, 3), [0, 1]);
  assert.deepEqual(scaleOf(3, 5), [0, 1, 2, 3]);
  assert.deepEqual(scaleOf(47, 5), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(scaleOf(540, 3), [0, 200, 400, 600]);
  assert.deepEqual(scaleOf(12_345, 3), [0, 5000, 10_000, 15_000]);
});

test('bars are stacked from the bottom, and a small value stays visible', () => {
  const all = [series({ x: 50, y: 1 }), series({ x: 50 })];
  assert.equal(highestSum(['x', 'y'], all), 100);
  const bars = barsOf(['x', 'y'], all, 1000, 100);
  assert.deepEqual(
    bars.map(({ series: index, y, height }) => [index, y, height]),
    [
      [0, 95, 5],
      [1, 90, 5],
      [0, 98.5, 1.5],
    ],
  );
  assert.ok(bars.every(({ x, width }) => x >= 0 && x + width <= 100));
});

test('two labels fit the narrowest chart, and twice as many with each further detail', () => {
  const labelled = (count: number, detail: number) =>
    ticksOf(count).flatMap((tick) => (tick.detail <= detail ? [tick.index] : []));
  assert.deepEqual(labelled(2, 0), [0, 1]);
  assert.deepEqual(labelled(7, 0), [0, 4]);
  assert.deepEqual(labelled(7, 1), [0, 2, 4, 6]);
  assert.deepEqual(labelled(7, 2), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(labelled(30, 1), [0, 8, 16, 24]);
  assert.deepEqual(
    [0, 1, 2, 3].map((detail) => labelled(365, detail).length),
    [2, 4, 8, 16],
  );
  assert.deepEqual(labelled(0, 3), []);
});

test('a scale of shares starts below the lowest one', () => {
  assert.deepEqual(shareScaleOf(99.4), [99, 99.5, 100]);
  assert.deepEqual(shareScaleOf(94.9), [90, 95, 100]);
  assert.deepEqual(shareScaleOf(12), [0, 50, 100]);
});

test('a line is interrupted where a value is missing, and a value between two gaps is a dot', () => {
  const values = series({ a: 90, b: 100, d: 95 });
  assert.deepEqual(lineOf(['a', 'b', 'c', 'd'], values, 90, 100), { path: 'M12.5 100L37.5 0', dots: 'M87.5 50h0' });
});
