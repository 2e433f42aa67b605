import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatDifference, formatVerdict } from './verdicts.ts';

const difference = (values: [difference: number, low: number, high: number] | null, verdict = 'unclear') => ({
  rate: null,
  other_rate: null,
  difference: values?.[0] ?? null,
  low: values?.[1] ?? null,
  high: values?.[2] ?? null,
  verdict: verdict as 'better' | 'worse' | 'unclear',
});

it('formatDifference has a sign and an interval in percentage points', () => {
  assert.equal(formatDifference(difference([0.0123, 0.004, 0.02])), '+1.2 (0.4 to 2.0)');
  assert.equal(formatDifference(difference([-0.0123, -0.02, -0.004])), '−1.2 (−2.0 to −0.4)');
  assert.equal(formatDifference(difference([-0.0001, -0.02, 0.0004])), '0.0 (−2.0 to 0.0)');
  assert.equal(formatDifference(difference(null)), '');
});

it('formatVerdict says when there is no data', () => {
  assert.equal(formatVerdict(difference([0.1, 0.05, 0.2], 'better')), 'Better');
  assert.equal(formatVerdict(difference(null)), 'No data');
});
