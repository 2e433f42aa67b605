// Counts the checks of limits for the metrics.
import type { LimitName } from '../telemetry/metric-table.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type LimitCounts = Pick<Metrics, 'limitChecks'>;

/** Counts a check, and returns `isAllowed`. */
export function countLimit(metrics: LimitCounts, limit: LimitName, isAllowed: boolean): boolean {
  metrics.limitChecks.inc({ limit, outcome: isAllowed ? 'allowed' : 'refused' });
  return isAllowed;
}
