// The SQL that adds reports to crash groups and removes them, counting each report exactly once.
//
// A report is in one group, or in none until it is grouped. It is counted in its group or, if that is merged into
// another one, there (`place_id`). `attachReports` moves reports into the group with the key of their grouping:
//
// 1. It locks the reports and the group, which it creates if it doesn't exist. A new group takes over the state of the
//    former one if only the rules have changed.
// 2. If reports with one of their functions were split off from the group, it continues with the group of those.
// 3. It subtracts the reports from their former groups, adds them to the counters of the new one, and counts their
//    devices, sessions and facets (counts.sql.ts).
// 4. It opens the group again if these reports mean that its fix did not work, or that its snooze is over
//    (state.sql.ts).
//
// `detachReports` removes reports before they are deleted, and deletes groups that are empty and not triaged. So the
// numbers of a group are always about its stored reports, except that its number of reports includes expired ones.
//
// Any number of transactions do this at once. To avoid deadlocks, all take locks in one order: reports by id; which
// groups are merged (`holdMerges`); a new group; existing groups by id; and slots of totals. A group can be deleted
// with its last report while a transaction waits for its lock. `transactGroups` then begins again.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, keepPlan, rows, type Tx } from '../../../kernel/database/db.ts';
import { rowsOfGame, transactOfGames } from '../../../kernel/database/shards.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { countReports, lockPlace, uncountReports } from './counts.sql.ts';
import type { FacetIds } from './facet-ids.ts';
import { FACETS_VERSION } from './facet-rules.ts';
import { GROUPING_VERSION, type Grouping, splitOff } from './grouping.ts';
import { type GroupToOpen, holdMerges, openAgain } from './state.sql.ts';
import { slotLock } from './totals.sql.ts';

type Member = { report_id: string; group_id: string | null };

/** The group was deleted, with its last report, while this transaction waited for its lock. */
class GroupGoneError extends Error {
  override readonly name = 'GroupGoneError';
}

/** A group is deleted only with its last report. If that happens this often in a row, something is wrong. */
const MAX_TRIES = 10;

/**
 * Runs `work`, which adds reports to groups or removes them, in one transaction, and again if a group was deleted
 * meanwhile.
 */
export async function transactGroups<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transactOfGames(db, work);
    } catch (error) {
      if (!(error instanceof GroupGoneError) || tries === MAX_TRIES) throw error;
    }
  }
}

/** SQL for further columns of reports, so that each row is written once. */
type ReportChanges = {
  /** The assignments: `state = 'processed', …`. */
  readonly set: RawBuilder<unknown>;
  /** The message that the assignments give the reports, for the search; the message that they have if omitted. */
  readonly message?: RawBuilder<unknown>;
  /** Where their values come from if they differ by report: a list of rows, and the column with the report's id. */
  readonly from?: { readonly rows: RawBuilder<unknown>; readonly reportId: RawBuilder<unknown> };
};

/**
 * The changes that add what a dump says to its report. What the client sent with the report stays, also if it arrived
 * meanwhile.
 */
export function noting(
  message: RawBuilder<unknown>,
  metadata: RawBuilder<unknown>,
): ReportChanges & { message: RawBuilder<unknown> } {
  const known = sql`coalesce(nullif(message, ''), ${message})`;
  return { set: sql`message = ${known}, metadata = ${metadata} || metadata`, message: known };
}

type Attachment = {
  readonly changes?: ReportChanges;
  /** The functions on the stack of the reports. They decide whether the reports are in a group that was split off. */
  readonly functions?: readonly string[];
  /** What the reports are counted by. Without them, what they were counted by before. */
  readonly facets?: FacetIds;
};

/**
 * Moves reports into the group of `grouping`, which is created if it does not exist, or into the group that was split
 * off from it. Reports that are already in it are not counted again; reports that do not exist are skipped. A resolved
 * or snoozed group may open. Returns the ids of the reports that exist.
 */
export async function attachReports(
  tx: Tx,
  gameId: string,
  reportIds: readonly string[],
  grouping: Grouping,
  { changes, functions = [], facets }: Attachment = {},
): Promise<readonly string[]> {
  const members = await lockReportsAndGroup(tx, gameId, reportIds, grouping.key);
  const ids = members.map(({ report_id }) => report_id);
  if (members.length === 0) return ids;
  const former = groupsOf(members);
  // In most cases, the group exists and is locked already, and the reports have no other group to leave.
  let { target } = members[0]!;
  if (target === null) {
    // The new group is merged into the same group as the former one.
    if (former.length > 0) await holdMerges(tx, gameId);
    await insertGroup(tx, gameId, grouping, ids[0]!);
    const locked = await lockGroups(tx, gameId, grouping.key, former);
    target = locked.find(({ wanted }) => wanted) ?? null;
  }
  if (target === null) throw new GroupGoneError('A crash group was deleted while a report was added to it');
  const split = target.split_functions?.find((name) => functions.includes(name));
  if (split !== undefined)
    return attachReports(tx, gameId, reportIds, splitOff(grouping, split), {
      functions,
      ...(changes && { changes }),
      ...(facets && { facets }),
    });
  const { group_id: groupId } = target;
  const added = members.filter(({ group_id }) => group_id !== groupId).map(({ report_id }) => report_id);
  for (const formerId of former) if (formerId !== groupId) await subtractReports(tx, gameId, formerId, added);
  const placeId = target.merged_into ?? groupId;
  const isNew = former.length === 0;
  // Slots are locked after all groups. In most cases that saves a statement.
  const hasSlots = isNew && placeId === groupId;
  const addition = { ids, added, grouping, changes: changesOf(changes, facets), locksSlots: hasSlots };
  await addReports(tx, gameId, groupId, addition);
  if (placeId !== groupId) await lockPlace(tx, gameId, placeId);
  await countReports(tx, gameId, placeId, ids, { facets, isNew, hasSlots });
  await openAgain(tx, gameId, target, added);
  return ids;
}

function changesOf(changes: ReportChanges | undefined, facets: FacetIds | undefined): ReportChanges | null {
  const all = [
    ...(changes === undefined ? [] : [changes.set]),
    ...(facets === undefined ? [] : [sql`facets_version = ${FACETS_VERSION}::integer`]),
  ];
  return all.length === 0 ? null : { ...changes, set: sql.join(all) };
}

/** Removes reports from their groups before they are deleted. Deletes empty groups unless somebody triaged them. */
export async function detachReports(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  const members = await lockReports(tx, gameId, reportIds);
  const ids = members.map(({ report_id }) => report_id);
  const former = groupsOf(members);
  await lockGroups(tx, gameId, null, former);
  await uncountReports(tx, gameId, ids);
  for (const groupId of former) await subtractReports(tx, gameId, groupId, ids);
  await changed(
    tx,
    sql`update crash_reports set group_id = null
      where game_id = ${gameId} and report_id = any(${ids}::uuid[]) and group_id is not null`,
  );
}

function groupsOf(members: readonly Member[]): string[] {
  return [...new Set(members.flatMap(({ group_id }) => group_id ?? []))];
}

/** The columns of a locked group that decide what becomes of a report. */
type Target = GroupToOpen & { split_functions: string[] | null };
type MemberAndTarget = Member & { target: Target | null };

const targetColumns = sql.raw('group_id, status, merged_into, split_functions');

/**
 * Locks the reports, and then the group of `key` if none of them is in a group. `target` is that group; null if it does
 * not exist or was not locked.
 */
function lockReportsAndGroup(
  tx: Tx,
  gameId: string,
  reportIds: readonly string[],
  key: Uint8Array,
): Promise<MemberAndTarget[]> {
  return rows(
    tx,
    keepPlan(sql<MemberAndTarget>`with member as materialized (
        select report_id, group_id from crash_reports
        where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) order by report_id for update
      ), target as materialized (
        select ${targetColumns} from crash_groups
        where game_id = ${gameId} and key = ${key} and (select count(*) > 0 and count(group_id) = 0 from member)
        for update
      )
      select report_id, member.group_id, to_json(target) as target from member left join target on true
      order by report_id`),
  );
}

function lockReports(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<Member[]> {
  return rows(
    tx,
    sql<Member>`select report_id, group_id from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) order by report_id for update`,
  );
}

/**
 * Creates the group, empty, unless it exists. If newer rules move a report out of a group that was triaged, the new
 * group is in the same state. Members get an alert about it, but not if its report was in another group before.
 */
async function insertGroup(tx: Tx, gameId: string, grouping: Grouping, reportId: string): Promise<void> {
  const { key, kind, title, reason, explanation, functions, rulesVersion = 0 } = grouping;
  await rowsOfGame(
    tx,
    gameId,
    sql`with created as (
      insert into crash_groups (game_id, group_id, key, kind, title, reason, explanation, count, first_seen, last_seen,
          sample_report_id, grouping_version, report_kind, status, snoozed_until_build, ${triageColumns}, alert)
        select report.game_id, ${newId()}::uuid, ${key}::bytea, ${kind}::text, ${title}::text, ${reason}::text,
          ${JSON.stringify(explanation)}::jsonb, 0, report.received_at, report.received_at, report.report_id,
          ${GROUPING_VERSION}::integer, report.kind, coalesce(former.status, 'open'),
          coalesce(former.snoozed_until_build, false), ${triageColumns},
          case when report.group_id is null then case when report.kind = 'error' then 'new_error_group' else 'new_group' end end
        from crash_reports report
        left join (select game_id, group_id, grouping_version, status, snoozed_until_build, ${triageColumns} from crash_groups
            where is_triaged or status = 'resolved') as former
          on former.game_id = report.game_id and former.group_id = report.group_id
            and (former.grouping_version < ${GROUPING_VERSION}::integer or report.rules_version < ${rulesVersion}::integer)
        where report.game_id = ${gameId}::uuid and report.report_id = ${reportId}::uuid
      on conflict (game_id, key) do nothing
      returning game_id, group_id
    ) insert into crash_group_functions (game_id, group_id, function)
      select game_id, group_id, function from created, unnest(${functions}::text[]) as named (function)
      returning group_id`,
  );
}

/** What a group takes over from the former group of its report, except for the status. */
const triageColumns = sql.raw(`fixed_in_version, resolved_at, resolved_by, snoozed_at, snoozed_until, snoozed_reports,
  snoozed_until_count, assignee_id, priority, custom_title, issue_url, merged_into`);

type LockedGroup = Target & { wanted: boolean };

/** Locks the group of `key`, which is `wanted`, and the groups with these ids. */
function lockGroups(
  tx: Tx,
  gameId: string,
  key: Uint8Array | null,
  groupIds: readonly string[],
): Promise<LockedGroup[]> {
  return rows(
    tx,
    sql<LockedGroup>`select ${targetColumns}, key = ${key}::bytea as wanted from crash_groups
      where game_id = ${gameId} and (key = ${key}::bytea or group_id = any(${groupIds}::uuid[]))
      order by group_id for update`,
  );
}

type Addition = {
  /** All reports to be in the group. */
  readonly ids: readonly string[];
  /** The reports among them that are not in the group yet. */
  readonly added: readonly string[];
  readonly grouping: Grouping;
  readonly changes: ReportChanges | null;
  /** Whether to lock the slots of all reports. */
  readonly locksSlots: boolean;
};

/** The newest report becomes the sample, as it will be kept longest. */
async function addReports(
  tx: Tx,
  gameId: string,
  groupId: string,
  { ids, added, grouping, changes, locksSlots }: Addition,
): Promise<void> {
  const { kind, title, reason, explanation, rulesVersion = null } = grouping;
  const signature = kind === 'stack' ? title : null;
  const from = changes?.from;
  const ofGroup = sql`game_id = ${gameId}::uuid and group_id = ${groupId}::uuid`;
  await rowsOfGame(
    tx,
    gameId,
    sql`with added as materialized (${countedColumns(gameId, added)}),
      ${sql.join(COUNTERS.map((counter) => countUp(counter, gameId, groupId)))},
      ${locksSlots ? sql`slots as (${slotLock(gameId, ids)}),` : sql``}
      sum as (
        select count(*) as count, min(received_at) as first, max(received_at) as last,
          (array_agg(report_id order by received_at desc, report_id desc))[1] as newest from added
      ),
      report as (
        update crash_reports set group_id = ${groupId}::uuid, grouping_version = ${GROUPING_VERSION}::integer,
          rules_version = coalesce(${rulesVersion}::integer, rules_version), reason = ${reason}::text,
          signature = ${signature}::text, words = crash_words(coalesce(${signature}::text, '') || ' ' || ${changes?.message ?? sql`message`} || ' ' || user_message)
          ${changes === null ? sql`` : sql`, ${changes.set}`}
        ${from === undefined ? sql`` : sql`from ${from.rows}`}
        where game_id = ${gameId}::uuid and report_id = any(${ids}::uuid[])
          ${from === undefined ? sql`` : sql`and report_id = ${from.reportId}`}
      )
      update crash_groups set count = crash_groups.count + sum.count,
          first_seen = least(first_seen, sum.first), last_seen = greatest(last_seen, sum.last),
          sample_report_id = case when sample_report_id is null or sum.last >= last_seen
            then coalesce(sum.newest, sample_report_id) else sample_report_id end,
          explanation = case when grouping_version < ${GROUPING_VERSION}::integer
            then ${JSON.stringify(explanation)}::jsonb else explanation end,
          grouping_version = greatest(grouping_version, ${GROUPING_VERSION}::integer)
        from sum where ${ofGroup} returning group_id`,
  );
}

/**
 * Removing the first or last report moves `first_seen` or `last_seen`. Reports deleted because of their age stay
 * counted and do not come here.
 */
async function subtractReports(tx: Tx, gameId: string, groupId: string, reportIds: readonly string[]): Promise<void> {
  const ofGroup = sql`game_id = ${gameId}::uuid and group_id = ${groupId}::uuid`;
  const remaining = sql`from crash_reports where ${ofGroup} and not report_id = any(${reportIds}::uuid[])`;
  await changed(
    tx,
    sql`with removed as (${countedColumns(gameId, reportIds)} and group_id = ${groupId}::uuid),
      ${sql.join(COUNTERS.map((counter) => countDown(counter, gameId, groupId)))},
      sum as (select count(*) as count, min(received_at) as first, max(received_at) as last from removed),
      oldest as (select received_at ${remaining} order by report_id limit 1),
      newest as (select report_id, received_at ${remaining} order by report_id desc limit 1)
      update crash_groups set count = greatest(0, crash_groups.count - sum.count),
          first_seen = case when sum.first <= first_seen then coalesce(oldest.received_at, first_seen) else first_seen end,
          last_seen = case when sum.last >= last_seen then coalesce(newest.received_at, last_seen) else last_seen end,
          sample_report_id = case when sample_report_id = any(${reportIds}::uuid[]) then newest.report_id else sample_report_id end
        from sum left join oldest on true left join newest on true
        where ${ofGroup}`,
  );
  await changed(
    tx,
    sql`delete from crash_groups
      where game_id = ${gameId} and group_id = ${groupId} and count = 0 and status <> 'resolved' and not is_triaged`,
  );
}

/** A table of counts and the columns of its key, in addition to the group's. */
type Counter = { readonly table: string; readonly by: readonly string[] };

/** The full counts, and two sums of them for lists of many groups. */
const COUNTERS: readonly Counter[] = [
  { table: 'crash_group_counts', by: ['build_id', 'os', 'day'] },
  { table: 'crash_group_totals', by: ['build_id', 'os'] },
  { table: 'crash_group_days', by: ['day'] },
];

/** A CTE after `added`: adds these reports to a counter. */
function countUp({ table, by }: Counter, gameId: string, groupId: string): RawBuilder<unknown> {
  const columns = sql.raw(by.join(', '));
  return sql`${sql.raw(`${table}_up`)} as (
    insert into ${sql.table(table)} as counter (game_id, group_id, ${columns}, count)
    select ${gameId}::uuid, ${groupId}::uuid, ${columns}, count(*) from added group by ${columns}
    on conflict (game_id, group_id, ${columns}) do update set count = counter.count + excluded.count
  )`;
}

/** CTEs after `removed`: subtract these reports from a counter, and delete rows that drop to zero. */
function countDown({ table, by }: Counter, gameId: string, groupId: string): RawBuilder<unknown> {
  const columns = sql.raw(by.join(', '));
  const subtracted = sql.raw(`${table}_subtracted`);
  const same = sql.raw(by.map((column) => `counter.${column} = subtracted.${column}`).join(' and '));
  const inGroup = sql`counter.game_id = ${gameId}::uuid and counter.group_id = ${groupId}::uuid and ${same}`;
  return sql`${subtracted} as (select ${columns}, count(*) as count from removed group by ${columns}),
    ${sql.raw(`${table}_emptied`)} as (
      delete from ${sql.table(table)} counter using ${subtracted} subtracted where ${inGroup} and counter.count <= subtracted.count
    ),
    ${sql.raw(`${table}_down`)} as (
      update ${sql.table(table)} counter set count = counter.count - subtracted.count from ${subtracted} subtracted
        where ${inGroup} and counter.count > subtracted.count
    )`;
}

/** Selects the columns of reports that the counters need. The caller may append conditions. */
function countedColumns(gameId: string, reportIds: readonly string[]): RawBuilder<unknown> {
  return sql`select report_id, build_id, os, received_at, (received_at at time zone 'utc')::date as day from crash_reports
    where game_id = ${gameId}::uuid and report_id = any(${reportIds}::uuid[])`;
}
