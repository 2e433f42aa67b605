// The SQL of crash groups: puts reports into a group and takes them out, counting each exactly once.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, keepPlan, rows, type Tx, transact } from '../../../kernel/db.ts';
import { newId } from '../../../kernel/ids.ts';
import { GROUPING_VERSION, type Grouping } from './grouping.ts';

type Member = { report_id: string; group_id: string | null };

/** The group was emptied and deleted while its lock was waited for. */
class GroupGoneError extends Error {
  override readonly name = 'GroupGoneError';
}

/** A group goes only when its last report leaves: this often in a row, that is no chance any more. */
const MOST_TRIES = 10;

/**
 * Runs `work`, which puts reports into groups or takes them out, in one transaction; again when a group vanished under its hands.
 * Everywhere locks are taken in one order, so that no two transactions wait for each other: reports by their ids, a group that is
 * new, then groups that are there by their ids.
 */
export async function transactGroups<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(db, work);
    } catch (error) {
      if (!(error instanceof GroupGoneError) || tries === MOST_TRIES) throw error;
    }
  }
}

/**
 * Puts reports into the group of `grouping`, which is made when it is new, and takes them out of the group that they were in. One
 * that is in it already is not counted again; one that is gone is passed over. A resolved group that gets a report of a later
 * build is open again. `changes` are further columns of the reports, written with the group’s: one new version of each row is enough.
 * False when none of the reports is there.
 */
export async function attachReports(
  tx: Tx,
  gameId: string,
  reportIds: readonly string[],
  grouping: Grouping,
  changes: RawBuilder<unknown> | null = null,
): Promise<boolean> {
  const members = await lockReportsAndGroup(tx, gameId, reportIds, grouping.key);
  if (members.length === 0) return false;
  const ids = members.map(({ report_id }) => report_id);
  const former = groupsOf(members);
  // Mostly the group is there and nothing has to be left: then its lock is all that is needed.
  let target = members[0]!.target;
  if (target === null) {
    await insertGroup(tx, gameId, grouping, ids[0]!);
    target = (await lockGroups(tx, gameId, grouping.key, former)) ?? null;
  }
  if (target === null) throw new GroupGoneError('A crash group was deleted while a report came into it');
  const coming = members.filter(({ group_id }) => group_id !== target).map(({ report_id }) => report_id);
  for (const groupId of former) if (groupId !== target) await subtractReports(tx, gameId, groupId, coming);
  await addReports(tx, gameId, target, { ids, coming, grouping, changes });
  return true;
}

/** Takes reports out of their groups, as before they are deleted. A group without any goes, unless it is resolved. */
export async function detachReports(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  const members = await lockReports(tx, gameId, reportIds);
  const ids = members.map(({ report_id }) => report_id);
  const former = groupsOf(members);
  await lockGroups(tx, gameId, null, former);
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

/**
 * Locks the reports, and then, where none of them has a group to leave, the group of `key`: its id is `target`, null when it is not
 * there or not locked.
 */
function lockReportsAndGroup(
  tx: Tx,
  gameId: string,
  reportIds: readonly string[],
  key: Uint8Array,
): Promise<(Member & { target: string | null })[]> {
  return rows(
    tx,
    keepPlan(sql<Member & { target: string | null }>`with member as materialized (
        select report_id, group_id from crash_reports
        where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) order by report_id for update
      ), target as materialized (
        select group_id from crash_groups
        where game_id = ${gameId} and key = ${key}::bytea and (select count(*) > 0 and count(group_id) = 0 from member)
        for update
      )
      select report_id, group_id, (select group_id from target) as target from member order by report_id`),
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
 * Makes the group, empty, where there is none of its key. New rules rename a group; what was resolved then stays so: it inherits from the
 * group in which the older rules had put the report.
 */
async function insertGroup(tx: Tx, gameId: string, grouping: Grouping, reportId: string): Promise<void> {
  const { key, kind, title, reason, explanation, functions } = grouping;
  await changed(
    tx,
    sql`with made as (insert into crash_groups (game_id, group_id, key, kind, title, reason, explanation, count, first_seen, last_seen,
          sample_report_id, grouping_version, status, fixed_in_version, resolved_at, resolved_by)
      select report.game_id, ${newId()}, ${key}, ${kind}, ${title}, ${reason}, ${JSON.stringify(explanation)}, 0,
          report.received_at, report.received_at, report.report_id, ${GROUPING_VERSION},
          coalesce(former.status, 'open'), former.fixed_in_version, former.resolved_at, former.resolved_by
        from crash_reports report
        left join crash_groups former on former.game_id = report.game_id and former.group_id = report.group_id
          and former.status = 'resolved' and former.grouping_version < ${GROUPING_VERSION}
        where report.game_id = ${gameId} and report.report_id = ${reportId}
      on conflict (game_id, key) do nothing
      returning game_id, group_id
    ) insert into crash_group_functions (game_id, group_id, function)
      select game_id, group_id, function from made, unnest(${functions}::text[]) as named (function)`,
  );
}

/** Locks the group of `key` and those of these ids; answers the id of the first. */
async function lockGroups(
  tx: Tx,
  gameId: string,
  key: Uint8Array | null,
  groupIds: readonly string[],
): Promise<string | undefined> {
  const locked = await rows(
    tx,
    sql<{ group_id: string; wanted: boolean }>`select group_id, key = ${key}::bytea as wanted from crash_groups
      where game_id = ${gameId} and (key = ${key}::bytea or group_id = any(${groupIds}::uuid[]))
      order by group_id for update`,
  );
  return locked.find(({ wanted }) => wanted)?.group_id;
}

type Addition = {
  /** All reports that are or come to be in the group. */
  readonly ids: readonly string[];
  /** Those of them that are new in it. */
  readonly coming: readonly string[];
  readonly grouping: Grouping;
  readonly changes: RawBuilder<unknown> | null;
};

/** The newest report is the sample: it is the last that will be deleted for its age. */
async function addReports(
  tx: Tx,
  gameId: string,
  groupId: string,
  { ids, coming, grouping, changes }: Addition,
): Promise<void> {
  const { kind, title, reason, explanation } = grouping;
  const signature = kind === 'stack' ? title : null;
  await changed(
    tx,
    keepPlan(sql`with coming as materialized (${facts(gameId, coming)}),
      ${sql.join(COUNTERS.map((counter) => countUp(counter, gameId, groupId)))},
      sum as (
        select count(*) as count, min(received_at) as first, max(received_at) as last,
          (array_agg(report_id order by received_at desc, report_id desc))[1] as newest from coming
      ),
      -- The build that has the fix, or the moment at which it was said to be fixed, whichever is known.
      regression as (
        select true as is_so from coming
          join builds on builds.game_id = ${gameId} and builds.build_id = coming.build_id
          join crash_groups resolved on resolved.game_id = ${gameId} and resolved.group_id = ${groupId}
            and resolved.status = 'resolved'
          where builds.created_at >= coalesce(
            (select min(created_at) from builds fixed where fixed.game_id = ${gameId} and fixed.version = resolved.fixed_in_version),
            resolved.resolved_at)
          limit 1
      ),
      report as (
        update crash_reports set group_id = ${groupId}, grouping_version = ${GROUPING_VERSION}::integer, reason = ${reason},
          signature = ${signature}::text, words = crash_words(coalesce(${signature}::text, '') || ' ' || message || ' ' || user_message)
          ${changes === null ? sql`` : sql`, ${changes}`}
        where game_id = ${gameId} and report_id = any(${ids}::uuid[])
      )
      update crash_groups set count = crash_groups.count + sum.count,
          first_seen = least(first_seen, sum.first), last_seen = greatest(last_seen, sum.last),
          sample_report_id = case when sample_report_id is null or sum.last >= last_seen
            then coalesce(sum.newest, sample_report_id) else sample_report_id end,
          explanation = case when grouping_version < ${GROUPING_VERSION}::integer
            then ${JSON.stringify(explanation)}::jsonb else explanation end,
          grouping_version = greatest(grouping_version, ${GROUPING_VERSION}::integer),
          status = case when regression.is_so then 'open' else status end,
          regressed_at = case when regression.is_so then now() else regressed_at end
        from sum left join regression on true
        where game_id = ${gameId} and group_id = ${groupId}`),
  );
}

/** When a report at either end leaves, the ends are those of the reports that stay; of the ones that were deleted for their age, the counts do. */
async function subtractReports(tx: Tx, gameId: string, groupId: string, reportIds: readonly string[]): Promise<void> {
  const staying = sql`from crash_reports where game_id = ${gameId} and group_id = ${groupId}
    and not report_id = any(${reportIds}::uuid[])`;
  await changed(
    tx,
    sql`with leaving as (${facts(gameId, reportIds)} and group_id = ${groupId}),
      ${sql.join(COUNTERS.map((counter) => countDown(counter, gameId, groupId)))},
      sum as (select count(*) as count, min(received_at) as first, max(received_at) as last from leaving),
      oldest as (select received_at ${staying} order by report_id limit 1),
      newest as (select report_id, received_at ${staying} order by report_id desc limit 1)
      update crash_groups set count = greatest(0, crash_groups.count - sum.count),
          first_seen = case when sum.first <= first_seen then coalesce(oldest.received_at, first_seen) else first_seen end,
          last_seen = case when sum.last >= last_seen then coalesce(newest.received_at, last_seen) else last_seen end,
          sample_report_id = case when sample_report_id = any(${reportIds}::uuid[]) then newest.report_id else sample_report_id end
        from sum left join oldest on true left join newest on true
        where game_id = ${gameId} and group_id = ${groupId}`,
  );
  await changed(
    tx,
    sql`delete from crash_groups
      where game_id = ${gameId} and group_id = ${groupId} and count = 0 and status <> 'resolved'`,
  );
}

/** A table of counts, and what its rows have in common beside the group. */
type Counter = { readonly table: string; readonly by: readonly string[] };

/** The whole truth, and two sums of it that lists of many groups read. */
const COUNTERS: readonly Counter[] = [
  { table: 'crash_group_counts', by: ['build_id', 'os', 'day'] },
  { table: 'crash_group_totals', by: ['build_id', 'os'] },
  { table: 'crash_group_days', by: ['day'] },
];

/** A part of a `with` after `coming`: adds those reports to a counter. */
function countUp({ table, by }: Counter, gameId: string, groupId: string): RawBuilder<unknown> {
  const columns = sql.raw(by.join(', '));
  return sql`${sql.raw(`${table}_up`)} as (
    insert into ${sql.table(table)} as counter (game_id, group_id, ${columns}, count)
    select ${gameId}, ${groupId}, ${columns}, count(*) from coming group by ${columns}
    on conflict (game_id, group_id, ${columns}) do update set count = counter.count + excluded.count
  )`;
}

/** Parts of a `with` after `leaving`: takes those reports off a counter, and rows away of which nothing is left. */
function countDown({ table, by }: Counter, gameId: string, groupId: string): RawBuilder<unknown> {
  const columns = sql.raw(by.join(', '));
  const fewer = sql.raw(`${table}_fewer`);
  const same = sql.raw(by.map((column) => `counter.${column} = fewer.${column}`).join(' and '));
  const inGroup = sql`counter.game_id = ${gameId} and counter.group_id = ${groupId} and ${same}`;
  return sql`${fewer} as (select ${columns}, count(*) as count from leaving group by ${columns}),
    ${sql.raw(`${table}_emptied`)} as (
      delete from ${sql.table(table)} counter using ${fewer} fewer where ${inGroup} and counter.count <= fewer.count
    ),
    ${sql.raw(`${table}_down`)} as (
      update ${sql.table(table)} counter set count = counter.count - fewer.count from ${fewer} fewer
        where ${inGroup} and counter.count > fewer.count
    )`;
}

/** What is counted of reports; further conditions may follow. */
function facts(gameId: string, reportIds: readonly string[]): RawBuilder<unknown> {
  return sql`select report_id, build_id, os, received_at, (received_at at time zone 'utc')::date as day from crash_reports
    where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`;
}
