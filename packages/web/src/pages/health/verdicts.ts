// Says in words how the rates of two builds differ.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { compareHealth } from '@chauffeur/contract/operations/health';

type RateDifference = OutputOf<typeof compareHealth>['booted'];

export function formatVerdict({ verdict, difference }: RateDifference): string {
  if (difference === null) return 'No data';
  return { better: 'Better', worse: 'Worse', unclear: 'Unclear' }[verdict];
}

/** `+1.2 (0.4 to 2.0)` in percentage points; empty without data. */
export function formatDifference({ difference, low, high }: RateDifference): string {
  if (difference === null || low === null || high === null) return '';
  const shown = formatPoints(difference);
  return `${difference > 0 && shown !== '0.0' ? '+' : ''}${shown} (${formatPoints(low)} to ${formatPoints(high)})`;
}

function formatPoints(share: number): string {
  const text = (100 * share).toFixed(1);
  return text === '-0.0' ? '0.0' : text.replace('-', '−');
}
