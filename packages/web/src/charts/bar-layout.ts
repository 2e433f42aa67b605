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

/** The values at the lines of the scale: 0 first, in steps of 1, 2 or 5 times a power of ten, and whole numbers. */
export function scaleOf(max: number, lines: number): number[] {
  const rough = Math.max(1, max) / Math.max(1, lines - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(1, factor * power);
  const steps = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
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

/** The indexes of the times that have a label, so that labels of this width do not touch. */
export function labelledTimes(count: number, width: number, labelWidth: number): number[] {
  const step = Math.max(1, Math.ceil(labelWidth / (width / Math.max(1, count))));
  return Array.from({ length: count }, (_, index) => index).filter((index) => index % step === 0);
}
