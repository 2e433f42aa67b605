// The one source of the current time, so that a test can set it.

export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns the UTC day of a time, such as `2026-11-30`. */
export function utcDayOf(time: Date): string {
  return time.toISOString().slice(0, '2026-11-30'.length);
}

/** Seconds since `begun`, an earlier value of performance.now(). */
export function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000;
}
