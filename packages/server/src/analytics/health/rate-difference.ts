// Rates and their differences, with confidence intervals.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { compareHealth } from '@chauffeur/contract/operations/health';

/** `part` of `total`, such as the devices that booted of all devices. */
export type Share = { readonly part: number; readonly total: number };
type RateDifference = OutputOf<typeof compareHealth>['booted'];

/** The quantile of the normal distribution for 95%. */
const Z = 1.959964;

/**
 * Newcombe's hybrid score interval of 95% for the difference of two independent proportions (Statistics in Medicine 17,
 * 1998, pages 873 to 890, method 10). Unlike the simple interval, it is right for few devices, and for rates near 1. `z`
 * is the quantile for another level.
 */
export function compareRates(share: Share, other: Share, z = Z): RateDifference {
  const [rate, otherRate] = [rateOf(share), rateOf(other)];
  const rates = { rate, other_rate: otherRate };
  if (rate === null || otherRate === null)
    return { ...rates, difference: null, low: null, high: null, verdict: 'unclear' };
  const [mine, theirs] = [wilsonInterval(share, z), wilsonInterval(other, z)];
  const difference = rate - otherRate;
  const low = difference - Math.hypot(rate - mine.low, theirs.high - otherRate);
  const high = difference + Math.hypot(mine.high - rate, otherRate - theirs.low);
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'unclear';
  return { ...rates, difference, low, high, verdict };
}

/** A rate with its 95% confidence interval; null without data. */
export type RateInterval = { rate: number | null; low: number | null; high: number | null };

export function intervalOf(share: Share): RateInterval {
  const rate = rateOf(share);
  return rate === null ? { rate, low: null, high: null } : { rate, ...wilsonInterval(share, Z) };
}

function rateOf({ part, total }: Share): number | null {
  return total === 0 ? null : part / total;
}

/** Wilson's score interval (Journal of the American Statistical Association 22, 1927, pages 209 to 212). */
function wilsonInterval({ part, total }: Share, z: number): { low: number; high: number } {
  const rate = part / total;
  const centre = rate + z ** 2 / (2 * total);
  const spread = z * Math.sqrt((rate * (1 - rate)) / total + z ** 2 / (4 * total ** 2));
  const scale = 1 + z ** 2 / total;
  // Rounding errors would otherwise make the ends of these intervals almost 0 and almost 1.
  const low = part === 0 ? 0 : Math.max(0, (centre - spread) / scale);
  const high = part === total ? 1 : Math.min(1, (centre + spread) / scale);
  return { low, high };
}
