// Parses the counts of a group's reports by build, OS and day from the texts in which the database returns them.
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import type { GroupCounts } from './group-list.sql.ts';

export type Counts = {
  /** The builds with the most reports first; with equal counts, the newest first. */
  readonly builds: readonly { readonly build_id: string; readonly count: number }[];
  /** The number of builds, including those left out of `builds`. */
  readonly build_count: number;
  /** The highest counts first. */
  oses: { os: string; count: number }[];
  /** Ordered by day. Days are in UTC, such as `2026-11-21`; days without reports are left out. */
  days: { day: string; count: number }[];
};

/** The sum of the counts of groups. `firstDay` is day 0 in the texts. At most `maxBuilds` builds are listed. */
export function unpackCounts(
  groups: readonly Omit<GroupCounts, 'group_id'>[],
  firstDay: Date,
  maxBuilds: number,
): Counts {
  const byBuild = new Map<string, number>();
  const byOs = new Map<string, number>();
  const byDay = new Map<number, number>();
  for (const { totals, days } of groups) {
    for (const [buildId = '', count, os = ''] of entriesOf(totals)) {
      byBuild.set(buildId, (byBuild.get(buildId) ?? 0) + Number(count));
      byOs.set(os, (byOs.get(os) ?? 0) + Number(count));
    }
    for (const [day, count] of entriesOf(days)) byDay.set(Number(day), (byDay.get(Number(day)) ?? 0) + Number(count));
  }
  // Build ids begin with the time of registration, so the higher id is the newer build.
  const builds = [...byBuild].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || compareTexts(b, a));
  const oses = [...byOs].sort(([a, many], [b, few]) => few - many || compareTexts(a, b));
  return {
    builds: builds.slice(0, maxBuilds).map(([build_id, count]) => ({ build_id, count })),
    build_count: builds.length,
    oses: oses.map(([os, count]) => ({ os, count })),
    days: [...byDay]
      .sort(([a], [b]) => a - b)
      .map(([day, count]) => ({ day: utcDayOf(new Date(firstDay.getTime() + day * DAY)), count })),
  };
}

function entriesOf(text: string): string[][] {
  return text === '' ? [] : text.split(',').map((entry) => entry.split(' '));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
