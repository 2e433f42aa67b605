// Turns rows of crash groups into responses of the API, without user names in paths: the line of source code that a
// group is shown with, and its counts by build, OS and day.

import { redactUserPaths } from '@chauffeur/contract/home-folders';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-groups';
import type { getCrashGroup } from '@chauffeur/contract/operations/crash-groups';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import type { BuildName, GroupCounts, GroupRow, LocatedFrame, SampleRow } from './group-list.sql.ts';

type Group = OutputOf<typeof contract.listCrashGroups>['groups'][number];

export function firstLineOf(message: string): string {
  return redactUserPaths(message)
    .trim()
    .split(/\s*[\r\n]/, 1)[0]!;
}

type Extras = {
  readonly counts: Counts;
  /** The names of builds by id. */
  readonly buildNames: ReadonlyMap<string, BuildName>;
  /** The names of accounts by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The newest report; undefined if none is kept. */
  readonly sample: SampleRow | undefined;
};

export function groupOf(row: GroupRow, { counts, buildNames, names, sample }: Extras): Group {
  const culprit = sample === undefined ? null : findCulprit(sample.located, row.signature);
  return {
    group_id: row.group_id,
    kind: row.kind,
    report_kind: row.report_kind,
    title: row.title,
    signature: row.signature,
    reason: row.reason,
    message: firstLineOf(sample?.message ?? ''),
    culprit: culprit === null ? null : redactUserPaths(culprit),
    status: row.status,
    fixed_in_version: row.fixed_in_version,
    snooze: snoozeOf(row),
    regressed_at: row.regressed_at?.toISOString() ?? null,
    assignee: assigneeOf(row, names),
    priority: row.priority,
    issue_url: row.issue_url,
    merged_count: row.members.length,
    count: row.count,
    devices: row.devices,
    sessions: row.sessions,
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    sample_crash_id: row.sample_report_id,
    ...counts,
    builds: counts.builds.map(({ build_id, count }) => ({
      build_id,
      ...(buildNames.get(build_id) ?? { version: '', os: '', arch: '' }),
      count,
    })),
  };
}

function snoozeOf(row: GroupRow): Group['snooze'] {
  if (row.status !== 'snoozed') return null;
  return {
    until: row.snoozed_until?.toISOString() ?? null,
    reports: row.snoozed_until_count === null ? null : Math.max(0, row.snoozed_until_count - row.count),
    next_build: row.snoozed_until_build,
  };
}

/** Returns null without an assignee, and if their account was deleted. */
function assigneeOf({ assignee_id: userId }: GroupRow, names: ReadonlyMap<string, string>): Group['assignee'] {
  const name = userId === null ? undefined : names.get(userId);
  return userId === null || name === undefined ? null : { user_id: userId, name };
}

/**
 * The place of the innermost function that the signature names, or else of the first frame, as `layout.cc:88`. `frames`
 * are those with a source file, the innermost first. A signature names functions without their parameters:
 * `raise | render::measure`.
 */
export function findCulprit(frames: readonly LocatedFrame[], signature: string): string | null {
  const names = signature.split(' | ');
  const isNamed = ({ function: name }: LocatedFrame) =>
    name !== null && names.some((each) => name === each || name.startsWith(`${each}(`));
  const frame = frames.find(isNamed) ?? frames[0];
  if (frame === undefined) return null;
  const file = frame.file.split(/[\\/]/).at(-1) || frame.file;
  return frame.line === null ? file : `${file}:${frame.line}`;
}

type Counts = {
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

type Trend = OutputOf<typeof getCrashGroup>['trend'];

/** Together with the series for all other versions, as many as a reader can tell apart. */
const MAX_VERSIONS = 3;

/** `counts` must be ordered by day. The version of a deleted build is null. */
export function trendOf(counts: readonly { day: string; version: string | null; count: number }[]): Trend {
  const totals = new Map<string, number>();
  for (const { version, count } of counts)
    if (version !== null) totals.set(version, (totals.get(version) ?? 0) + count);
  const named = new Set(
    [...totals]
      .sort(([, countOfA], [, countOfB]) => countOfB - countOfA)
      .slice(0, MAX_VERSIONS)
      .map(([version]) => version),
  );
  const trend = new Map<string, Trend[number]>();
  for (const { day, version, count } of counts) {
    const shown = version !== null && named.has(version) ? version : null;
    const entry = trend.get(`${day} ${shown}`) ?? { day, version: shown, count: 0 };
    entry.count += count;
    trend.set(`${day} ${shown}`, entry);
  }
  return [...trend.values()];
}
