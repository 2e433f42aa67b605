// The days of a group’s reports, as its small and its large picture show them.

const DAY_MS = 86_400_000;
export const DAYS_SHOWN = 30;

type Counted = { readonly day: string; readonly count: number };

/** The last 30 days (UTC) with how many reports each had, the oldest first. */
export function lastDays(days: readonly Counted[], now: Date): Counted[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]));
  return Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const day = new Date(now.getTime() - (DAYS_SHOWN - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, count: counts.get(day) ?? 0 };
  });
}
