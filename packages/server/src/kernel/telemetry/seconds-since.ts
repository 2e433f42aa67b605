// Converts what performance.now() measures into the unit of the metrics.

/** Seconds since `begun`, an earlier value of performance.now(). */
export function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000;
}
