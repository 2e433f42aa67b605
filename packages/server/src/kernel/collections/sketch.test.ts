import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bucketOf, ERROR, medianOf, valueOfBucket } from './sketch.ts';

const value = fc.oneof(fc.nat(60), fc.nat(600_000));
const histogramOf = (values: readonly number[]) => values.map((each) => ({ bucket: bucketOf(each), count: 1 }));

describe('a bucket', () => {
  it('represents each value up to 24 exactly', () => {
    const values = Array.from({ length: 25 }, (_, no) => no);
    assert.deepEqual(
      values.map((each) => valueOfBucket(bucketOf(each))),
      values,
    );
  });

  it('represents every other value within the error, rounded', () => {
    fc.assert(fc.property(value, (each) => Math.abs(valueOfBucket(bucketOf(each)) - each) <= each * ERROR + 0.5));
  });

  it('is never lower for a greater value, and there are few buckets', () => {
    fc.assert(fc.property(value, value, (a, b) => a > b || bucketOf(a) <= bucketOf(b)));
    assert.deepEqual([bucketOf(0), bucketOf(1), bucketOf(600_000)], [-1, 0, 333]);
  });
});

describe('the median', () => {
  it('is accurate within the error, regardless of how the values are split and ordered', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.nat(), (values, cut) => {
        const [first, second] = [values.slice(0, cut % values.length), values.slice(cut % values.length)];
        const { median, samples } = medianOf([...histogramOf(second), ...histogramOf(first)]);
        const exact = values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1]!;
        assert.equal(samples, values.length);
        assert.ok(Math.abs(median! - exact) <= exact * ERROR + 0.5, `${median} for ${exact}`);
      }),
    );
  });

  it('is null without values', () => {
    assert.deepEqual(medianOf([]), { median: null, samples: 0 });
  });
});
