// The days that a group's sparkline and chart show.

const DAY_MS = 86_400_000;
export const DAYS_SHOWN = 30;

type DayCount = { readonly day: string; readonly count: number };

/** The number of reports on each of the last 30 days (UTC), oldest first. */
export function lastDays(days: readonly DayCount[], now: Date): DayCount[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]));
  return Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const day = new Date(now.getTime() - (DAYS_SHOWN - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, count: counts.get(day) ?? 0 };
  });
}
