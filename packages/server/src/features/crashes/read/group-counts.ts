// How many reports a group has, by build, system and day: made of the texts in which the database sends them.
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import type { GroupCounts } from './group-list.sql.ts';

export type Counts = {
  /** Those with the most reports, most first; of as many, the newer before the older. */
  readonly builds: readonly { readonly build_id: string; readonly count: number }[];
  /** How many builds there are, with those that are left out of `builds`. */
  readonly build_count: number;
  /** Most first. */
  oses: { os: string; count: number }[];
  /** Such as `2026-11-21`, in UTC and in order; those without a report are left out. */
  days: { day: string; count: number }[];
};

/** Of a group of which no report is counted any more. */
export const NO_COUNTS: Counts = { builds: [], build_count: 0, oses: [], days: [] };

/** `firstDay` is the day that the texts have as 0; `mostBuilds` how many builds are named. */
export function unpackCounts(packed: Omit<GroupCounts, 'group_id'>, firstDay: Date, mostBuilds: number): Counts {
  const byBuild = new Map<string, number>();
  const byOs = new Map<string, number>();
  for (const [buildId = '', count, os = ''] of entriesOf(packed.totals)) {
    byBuild.set(buildId, (byBuild.get(buildId) ?? 0) + Number(count));
    byOs.set(os, (byOs.get(os) ?? 0) + Number(count));
  }
  // Ids of builds begin with their time.
  const builds = [...byBuild].sort(([a, many], [b, few]) => few - many || compareTexts(b, a));
  const oses = [...byOs].sort(([a, many], [b, few]) => few - many || compareTexts(a, b));
  return {
    builds: builds.slice(0, mostBuilds).map(([build_id, count]) => ({ build_id, count })),
    build_count: builds.length,
    oses: oses.map(([os, count]) => ({ os, count })),
    days: entriesOf(packed.days).map(([day, count]) => ({
      day: utcDayOf(new Date(firstDay.getTime() + Number(day) * DAY)),
      count: Number(count),
    })),
  };
}

function entriesOf(text: string): string[][] {
  return text === '' ? [] : text.split(',').map((entry) => entry.split(' '));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
