// A histogram of whole numbers whose buckets grow by a constant factor (Masson, Rim and Lee, "DDSketch", 2019): those of days and writers
// add up, and any quantile of the sum is right within a fixed share of its value.

/** A value read back is at most this share, and half a unit for rounding, away from the true one. */
export const ERROR = 0.02;

const GROWTH = (1 + ERROR) / (1 - ERROR);
const SCALE = 1 / Math.log(GROWTH);

/** Of a value of 0 or more. 0 has a bucket of its own, -1. */
export function bucketOf(value: number): number {
  return value === 0 ? -1 : Math.ceil(Math.log(value) * SCALE);
}

/** The whole number that stands for a bucket: up to 24 the value itself, since the error is less than half a unit there. */
export function readBack(bucket: number): number {
  return bucket === -1 ? 0 : Math.round((2 * GROWTH ** bucket) / (GROWTH + 1));
}

/** How many values each bucket has, in any order; a bucket may come more than once. */
export type Histogram = readonly { readonly bucket: number; readonly count: number }[];

/** The lower median, and of how many values; null of none. */
export function medianOf(histogram: Histogram): { median: number | null; samples: number } {
  const samples = histogram.reduce((sum, { count }) => sum + count, 0);
  let below = 0;
  for (const { bucket, count } of histogram.toSorted((a, b) => a.bucket - b.bucket)) {
    below += count;
    if (below * 2 >= samples && below > 0) return { median: readBack(bucket), samples };
  }
  return { median: null, samples };
}
