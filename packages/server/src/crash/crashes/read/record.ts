// Turns rows of reports and groups into records of the API, without user names in paths.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { DownloadKind } from '@chauffeur/contract/operations/crash-files';
import type { listCrashGroups } from '@chauffeur/contract/operations/crash-groups';
import type { getCrash, listCrashes } from '@chauffeur/contract/operations/crash-reports';
import { NO_TITLE } from '../groups/grouping.ts';
import { shownFieldsOf } from '../report/fields.ts';
import { redactUserPaths } from '../report/paths.ts';
import { findCulprit } from './culprit.ts';
import type { Counts } from './group-counts.ts';
import type { BuildName, GroupRow, SampleRow } from './group-list.sql.ts';
import type { ReportRow, StoredFiles, SummaryRow } from './report-list.sql.ts';

type Summary = OutputOf<typeof listCrashes>['crashes'][number];
type Crash = OutputOf<typeof getCrash>;
type Group = OutputOf<typeof listCrashGroups>['groups'][number];

export function summaryOf(row: SummaryRow): Summary {
  return {
    crash_id: row.report_id,
    build_id: row.build_id,
    version: row.version,
    group_id: row.group_id,
    state: row.state,
    title: titleOf(row),
    reason: row.reason,
    os: row.os,
    arch: row.arch,
    device_uid: row.device_uid,
    user_message: redactUserPaths(row.user_message),
    received_at: row.received_at.toISOString(),
  };
}

/** The signature, or the first line of the message. */
function titleOf({ signature, message }: SummaryRow): string {
  if (signature !== null && signature !== '') return signature;
  return firstLineOf(message) || NO_TITLE;
}

function firstLineOf(message: string): string {
  return redactUserPaths(message)
    .trim()
    .split(/\s*[\r\n]/, 1)[0]!;
}

export function crashOf(row: ReportRow, missing: Crash['missing_symbols']): Crash {
  return {
    ...summaryOf(row),
    commit: row.commit,
    source: row.source,
    ...shownFieldsOf(row),
    facets: row.facets.map(({ facet, value }) => ({ facet, value: redactUserPaths(value) })),
    metadata: Object.fromEntries(Object.entries(row.metadata).map(([key, value]) => [key, redactValue(value)])),
    crash_address: row.crash_address,
    failure: row.failure,
    processed_at: row.processed_at?.toISOString() ?? null,
    stack: row.frames ?? [],
    missing_symbols: missing,
    available: availableOf(row),
    attachments: row.attachments.map(attachmentOf),
  };
}

function attachmentOf(
  { name, kind, key, size, image, problem }: ReportRow['attachments'][number],
  index: number,
): Crash['attachments'][number] {
  return {
    attachment: index,
    name,
    kind,
    size,
    has_arrived: key !== null,
    image: image === undefined ? null : { width: image.width, height: image.height },
    problem: problem ?? null,
  };
}

function redactValue<T>(value: T): T | string {
  return typeof value === 'string' ? redactUserPaths(value) : value;
}

/** A stack in the text of a report is downloaded like that of a dump. */
function availableOf({ stack_key, trace, log_key, dump_key }: StoredFiles): DownloadKind[] {
  const keys = { stack: stack_key ?? trace, log: log_key, dump: dump_key };
  return (['stack', 'log', 'dump'] as const).filter((kind) => keys[kind] !== null);
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

/** Null if the account was deleted, too. */
function assigneeOf({ assignee_id: userId }: GroupRow, names: ReadonlyMap<string, string>): Group['assignee'] {
  const name = userId === null ? undefined : names.get(userId);
  return userId === null || name === undefined ? null : { user_id: userId, name };
}
