// The SQL that opens resolved and snoozed groups again when they get a report.
import type { GroupStatus } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { changed, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { insertActivity } from './activity.sql.ts';
import { lockStates, type State } from './state.sql.ts';

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
