// The SQL of the state of crash groups: what people decide about them, when a group opens again, and locks on which
// groups are merged into which.
//
// A group is open, resolved, snoozed or ignored. A resolved group opens again with a report of a build that came after
// its fix, and a snoozed one when its snooze is over: at a time (alerts.job.ts), after a number of reports, or with a
// report of a newer build. Members are alerted then. Merged groups have the state of the group they are merged into.
import type { GroupStatus, Priority } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { changed, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { insertActivity } from './activity.sql.ts';

/** The columns that triage changes. Times are texts, exact to the microsecond. */
export type State = {
  readonly status: GroupStatus;
  readonly fixed_in_version: string | null;
  readonly resolved_at: string | null;
  /** The name of the person, at that time. */
  readonly resolved_by: string | null;
  readonly regressed_at: string | null;
  readonly snoozed_at: string | null;
  readonly snoozed_until: string | null;
  /** The number of further reports that end the snooze. */
  readonly snoozed_reports: number | null;
  /** How many reports the group has then, with those merged into it. */
  readonly snoozed_until_count: number | null;
  readonly snoozed_until_build: boolean;
  readonly assignee_id: string | null;
  readonly priority: Priority | null;
  readonly custom_title: string | null;
  readonly issue_url: string | null;
};

export type GroupAndState = {
  readonly group_id: string;
  readonly title: string;
  readonly count: number;
  readonly merged_into: string | null;
  readonly state: State;
};

const COLUMNS = {
  status: 'text',
  fixed_in_version: 'text',
  resolved_at: 'timestamptz',
  resolved_by: 'text',
  regressed_at: 'timestamptz',
  snoozed_at: 'timestamptz',
  snoozed_until: 'timestamptz',
  snoozed_reports: 'bigint',
  snoozed_until_count: 'bigint',
  snoozed_until_build: 'boolean',
  assignee_id: 'text',
  priority: 'text',
  custom_title: 'text',
  issue_url: 'text',
} as const satisfies Record<keyof State, string>;

/** The SQL of the title that people see of a row of `crash_groups`. */
export const shownTitle = sql.raw(`coalesce(custom_title, title || coalesce(' (with ' || split_function || ')', ''))`);

export const STATE_COLUMNS = Object.keys(COLUMNS) as (keyof State)[];

const stateObject = sql.raw(
  `json_build_object(${Object.entries(COLUMNS)
    .map(([name, type]) => `'${name}', ${type === 'timestamptz' ? `${name} at time zone 'utc'` : name}`)
    .join(', ')})`,
);

/** The groups that these are shown in: the groups that they are merged into, or themselves. */
export function findHeads(
  tx: Tx,
  gameId: string,
  groupIds: readonly string[],
): Promise<{ group_id: string; head_id: string }[]> {
  return rows(
    tx,
    sql<{ group_id: string; head_id: string }>`select group_id, coalesce(merged_into, group_id) as head_id
      from crash_groups where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])`,
  );
}

/** Locks these groups and returns them by id. Missing groups are left out. */
export function lockStates(tx: Tx, gameId: string, groupIds: readonly string[]): Promise<GroupAndState[]> {
  return rows(
    tx,
    sql<GroupAndState>`select group_id, ${shownTitle} as title, count, merged_into, ${stateObject} as state
      from crash_groups where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])
      order by group_id for update`,
  );
}

/** Snoozes each of these groups for as many more reports; those of groups merged into it count as well. */
export async function setSnoozeCounts(
  tx: Tx,
  gameId: string,
  groupIds: readonly string[],
  reports: number,
): Promise<void> {
  await changed(
    tx,
    sql`update crash_groups set snoozed_until_count = ${reports}::bigint + (
        select sum(member.count) from crash_groups member
        where member.game_id = ${gameId}
          and (member.group_id = crash_groups.group_id or member.merged_into = crash_groups.group_id))
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])`,
  );
}

/** Sets the given columns of all these groups to the same values. */
export async function updateState(
  tx: Tx,
  gameId: string,
  groupIds: readonly string[],
  values: Partial<State>,
): Promise<void> {
  const columns = STATE_COLUMNS.filter((name) => values[name] !== undefined);
  const assignments = columns.map((name) => {
    const type = sql.raw(COLUMNS[name]);
    const value = sql`${values[name]}::${type}`;
    // The text has no offset: it is in UTC.
    return COLUMNS[name] === 'timestamptz'
      ? sql`${sql.ref(name)} = ${values[name]}::timestamp at time zone 'utc'`
      : sql`${sql.ref(name)} = ${value}`;
  });
  await changed(
    tx,
    sql`update crash_groups set ${sql.join([...assignments, sql`is_triaged = true`])}
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])`,
  );
}

/** A locked group. */
export type GroupToOpen = { group_id: string; status: GroupStatus; merged_into: string | null };

/**
 * Opens the group, or the group that it was merged into, if these reports of it mean that its fix did not work, or that
 * its snooze is over. Members get an alert. `added` are the reports that were not in the group before, already counted.
 */
export async function openAgain(
  tx: Tx,
  gameId: string,
  { group_id: groupId, status, merged_into: headId }: GroupToOpen,
  added: readonly string[],
): Promise<void> {
  if (added.length === 0) return;
  // Locking the head for every report would hold up the reports of all groups merged into it.
  const isAsleep = isResolvedOrSnoozed(headId === null ? status : await findStatus(tx, gameId, headId));
  if (!isAsleep) return;
  const [head] = await lockStates(tx, gameId, [headId ?? groupId]);
  if (head === undefined) return;
  if (head.state.status === 'resolved' && (await isAfterFix(tx, gameId, head.state, added)))
    await reopen(tx, gameId, head.group_id, head.state, 'regression');
  if (head.state.status === 'snoozed' && (await isSnoozeOver(tx, gameId, head.group_id, head.state, added)))
    await reopen(tx, gameId, head.group_id, head.state, 'snooze_ended');
}

function isResolvedOrSnoozed(status: GroupStatus | undefined): boolean {
  return status === 'resolved' || status === 'snoozed';
}

async function findStatus(tx: Tx, gameId: string, groupId: string): Promise<GroupStatus | undefined> {
  const group = await row(
    tx,
    sql<{ status: GroupStatus }>`select status from crash_groups where game_id = ${gameId} and group_id = ${groupId}`,
  );
  return group?.status;
}

/** Opens a group whose snooze is over, or that is back after its fix. */
export async function reopen(
  tx: Tx,
  gameId: string,
  groupId: string,
  before: State,
  alert: 'regression' | 'snooze_ended',
): Promise<void> {
  // Citus refuses now() in a case.
  const regressedAt = alert === 'regression' ? sql`now()` : sql`regressed_at`;
  await changed(
    tx,
    sql`update crash_groups set status = 'open', alert = ${alert}, snoozed_at = null, snoozed_until = null, snoozed_reports = null,
        snoozed_until_count = null, snoozed_until_build = false,
        regressed_at = ${regressedAt}
      where game_id = ${gameId} and group_id = ${groupId}`,
  );
  await insertActivity(tx, gameId, [
    { activityId: newId(), groupId, kind: 'reopen', before: { status: before.status }, after: { status: 'open' } },
  ]);
}

/**
 * Whether a report comes from a build that was registered after the build with the fix of a resolved group or, if that
 * is unknown, after the group was resolved.
 */
function isAfterFix(
  tx: Tx,
  gameId: string,
  { fixed_in_version, resolved_at }: State,
  reportIds: readonly string[],
): Promise<boolean> {
  const since = sql`coalesce((select min(created_at) from builds fixed
    where fixed.game_id = ${gameId} and fixed.version = ${fixed_in_version}), ${resolved_at}::timestamp at time zone 'utc')`;
  return isAnyOfBuildSince(tx, gameId, reportIds, since);
}

async function isSnoozeOver(
  tx: Tx,
  gameId: string,
  groupId: string,
  { snoozed_at, snoozed_until_count, snoozed_until_build }: State,
  reportIds: readonly string[],
): Promise<boolean> {
  if (snoozed_until_count !== null) {
    const { count } = await onlyRow(
      tx,
      sql<{ count: number }>`select coalesce(sum(count), 0)::bigint as count from crash_groups
        where game_id = ${gameId} and (group_id = ${groupId} or merged_into = ${groupId})`,
    );
    if (count >= snoozed_until_count) return true;
  }
  return (
    snoozed_until_build && isAnyOfBuildSince(tx, gameId, reportIds, sql`${snoozed_at}::timestamp at time zone 'utc'`)
  );
}

async function isAnyOfBuildSince(
  tx: Tx,
  gameId: string,
  reportIds: readonly string[],
  since: ReturnType<typeof sql>,
): Promise<boolean> {
  const reported = await rows(
    tx,
    sql<{ build_id: string }>`select distinct build_id from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
  );
  const buildIds = reported.map(({ build_id }) => build_id);
  const later = await row(
    tx,
    sql`select from builds where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) and created_at >= ${since}
      limit 1`,
  );
  return later !== undefined;
}

/**
 * Waits until no other transaction changes where groups of the game are, and keeps others waiting: each locks many
 * groups, and would otherwise do so in another order.
 */
export async function lockMerges(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${mergesKeyOf(gameId)})`);
}

/**
 * Groups of the game stay where they are until the transaction ends. For transactions that create a group in the place
 * of another one, any number of which may run at once. To avoid deadlocks, they call it before they lock a group.
 */
export async function holdMerges(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock_shared(${mergesKeyOf(gameId)})`);
}

function mergesKeyOf(gameId: string) {
  return sql`hashtextextended(${`crash_groups/${gameId}`}, 0)`;
}
