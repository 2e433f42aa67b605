// Decides where the bars, lines and labels of a chart go. Lengths are in pixels, and y counts from the top.
import type { Series } from './series.ts';

export type Plot = { readonly width: number; readonly height: number };

export type Bar = {
  /** The index of the series. */
  readonly series: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/**
 * The values at the lines of the scale: 0 first, in steps of 1, 2 or 5 times a power of ten, and whole numbers. There
 * are up to `steps` steps.
 */
export function scaleOf(max: number, steps: number): number[] {
  const rough = Math.max(1, max) / Math.max(1, steps);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(1, factor * power);
  const count = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** The largest sum of the series at one time. */
export function highestSum(times: readonly string[], series: readonly Series[]): number {
  return Math.max(0, ...times.map((at) => series.reduce((sum, { values }) => sum + (values.get(at) ?? 0), 0)));
}

const MAX_BAR_WIDTH = 28;
/** The share of its place that a bar leaves free. */
const GAP = 0.15;
/** Keeps one report visible next to thousands. */
const MIN_BAR_HEIGHT = 1.5;

/** Stacked bars: the first series is at the bottom. `top` is the value at the upper edge. */
export function barsOf(
  times: readonly string[],
  series: readonly Series[],
  top: number,
  { width, height }: Plot,
): Bar[] {
  const place = width / Math.max(1, times.length);
  const barWidth = Math.max(1, Math.min(MAX_BAR_WIDTH, place * (1 - GAP)));
  return times.flatMap((at, index) => {
    let foot = height;
    return series.flatMap(({ values }, number) => {
      const value = values.get(at) ?? 0;
      if (value <= 0) return [];
      const barHeight = Math.max(MIN_BAR_HEIGHT, (value / top) * height);
      foot -= barHeight;
      return [{ series: number, x: (index + 0.5) * place - barWidth / 2, y: foot, width: barWidth, height: barHeight }];
    });
  });
}

/** Where a scale of percentages can start, so that differences close to 100% are visible. */
const SHARE_STARTS = [99, 95, 90, 80, 50];

/** The values at the lines of a scale of percentages: from below the lowest one to 100. */
export function shareScaleOf(lowest: number): number[] {
  const start = SHARE_STARTS.find((each) => each <= lowest) ?? 0;
  return [start, (start + 100) / 2, 100];
}

/** The path of a line from one value to the next. Times without a value interrupt it. */
export function lineOf(
  times: readonly string[],
  { values }: Series,
  [bottom, top]: readonly [number, number],
  { width, height }: Plot,
): string {
  const place = width / Math.max(1, times.length);
  return times
    .flatMap((at, index) => {
      const value = values.get(at);
      if (value === undefined) return [];
      const x = (index + 0.5) * place;
      const y = height * (1 - (value - bottom) / (top - bottom));
      const isAlone = !values.has(times[index - 1] ?? '');
      // A line of no length is drawn as a dot.
      return isAlone ? [`M${x} ${y}h0`] : [`L${x} ${y}`];
    })
    .join('');
}

/** The indexes of the times that have a label, so that labels of this width do not touch. */
export function labelledTimes(count: number, width: number, labelWidth: number): number[] {
  const step = Math.max(1, Math.ceil(labelWidth / (width / Math.max(1, count))));
  return Array.from({ length: count }, (_, index) => index).filter((index) => index % step === 0);
}
