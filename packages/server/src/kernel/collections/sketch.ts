// A histogram of integers whose buckets grow by a constant factor (Masson, Rim and Lee, "DDSketch", 2019). Histograms
// of several days and writers can be added, and any quantile of the sum is accurate to a fixed relative error.

/** The largest relative error of a value, in addition to half a unit for rounding. */
export const ERROR = 0.02;

const GROWTH = (1 + ERROR) / (1 - ERROR);
const SCALE = 1 / Math.log(GROWTH);

/** Returns the bucket of a value of 0 or more. 0 has its own bucket, -1. */
export function bucketOf(value: number): number {
  return value === 0 ? -1 : Math.ceil(Math.log(value) * SCALE);
}

/**
 * Returns the integer that represents a bucket. Up to 24 it is the value itself, since the error is less than half a
 * unit there.
 */
export function valueOfBucket(bucket: number): number {
  return bucket === -1 ? 0 : Math.round((2 * GROWTH ** bucket) / (GROWTH + 1));
}

/** The number of values per bucket, in any order; a bucket may occur more than once. */
export type Histogram = readonly { readonly bucket: number; readonly count: number }[];

/** Returns the lower median and the number of values; null without any values. */
export function medianOf(histogram: Histogram): { median: number | null; samples: number } {
  const samples = histogram.reduce((sum, { count }) => sum + count, 0);
  let below = 0;
  for (const { bucket, count } of histogram.toSorted((a, b) => a.bucket - b.bucket)) {
    below += count;
    if (below * 2 >= samples && below > 0) return { median: valueOfBucket(bucket), samples };
  }
  return { median: null, samples };
}
