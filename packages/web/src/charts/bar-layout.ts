// Decides where the bars, lines and labels of a chart go. Horizontal positions are in percent of the width; y is in
// pixels from the top.
import type { Series } from './series.ts';

export type Bar = {
  /** The index of the series. */
  readonly series: number;
  /** The left edge in percent, like the width. */
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

/** The widest bar in percent: over a short time, bars would otherwise be as wide as they are high. */
const MAX_BAR_WIDTH = 4;
/** The share of its space that a bar leaves free. */
const GAP = 0.2;
/** The lowest bar in pixels, which keeps one report visible next to thousands. */
const MIN_BAR_HEIGHT = 1.5;

/** Stacked bars: the first series is at the bottom. `top` is the value at the upper edge. */
export function barsOf(times: readonly string[], series: readonly Series[], top: number, height: number): Bar[] {
  const barWidth = Math.min(MAX_BAR_WIDTH, (100 / Math.max(1, times.length)) * (1 - GAP));
  return times.flatMap((at, index) => {
    let foot = height;
    return series.flatMap(({ values }, number) => {
      const value = values.get(at) ?? 0;
      if (value <= 0) return [];
      const barHeight = Math.max(MIN_BAR_HEIGHT, (value / top) * height);
      foot -= barHeight;
      const x = positionOf(index + 0.5, times.length) - barWidth / 2;
      return [{ series: number, x, y: foot, width: barWidth, height: barHeight }];
    });
  });
}

/** Where the time with this index begins, in percent. Half an index more is its middle. */
export function positionOf(index: number, count: number): number {
  return (100 * index) / Math.max(1, count);
}

/** Where a scale of percentages can start, so that differences close to 100% are visible. */
const SHARE_STARTS = [99, 95, 90, 80, 50];

/** The values at the lines of a scale of percentages: from below the lowest one to 100. */
export function shareScaleOf(lowest: number): number[] {
  const start = SHARE_STARTS.find((each) => each <= lowest) ?? 0;
  return [start, (start + 100) / 2, 100];
}

export type Line = {
  /** The path from one value to the next. Times without a value interrupt it. */
  readonly path: string;
  /** Lines of no length, which are drawn as dots: the values that have none before or after them. */
  readonly dots: string;
};

/** The paths of a series in a box of 100 by 100. */
export function lineOf(times: readonly string[], { values }: Series, bottom: number, top: number): Line {
  let [path, dots] = ['', ''];
  for (const [index, at] of times.entries()) {
    const value = values.get(at);
    if (value === undefined) continue;
    const point = `${positionOf(index + 0.5, times.length)} ${100 * (1 - (value - bottom) / (top - bottom))}`;
    const isFirst = !values.has(times[index - 1] ?? '');
    if (isFirst && !values.has(times[index + 1] ?? '')) dots += `M${point}h0`;
    else path += `${isFirst ? 'M' : 'L'}${point}`;
  }
  return { path, dots };
}

/** How many labels fit the narrowest chart. Each further level of detail has twice as many. */
const LABELS_OF_NARROWEST = 2;
const DETAILS = [0, 1, 2, 3];

/**
 * The times that have a label: those of detail 0 always, those of detail 3 only in the widest charts.
 */
export function ticksOf(count: number): { index: number; detail: number }[] {
  const steps = DETAILS.map((detail) => stepOf(count, LABELS_OF_NARROWEST * 2 ** detail));
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const detail = steps.findIndex((step) => index % step === 0);
    return detail === -1 ? [] : [{ index, detail }];
  });
}

/** Steps of labels: each is a multiple of the finer ones. */
function stepOf(count: number, labels: number): number {
  const finest = Math.ceil(count / (LABELS_OF_NARROWEST * 2 ** (DETAILS.length - 1)));
  return Math.max(1, finest) * 2 ** Math.max(0, Math.ceil(Math.log2(count / Math.max(1, finest) / labels)));
}
