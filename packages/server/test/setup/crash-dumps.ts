// Real dumps with their symbols for tests of crashes, reports with and without a dump, and the stored results.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { onlyRow, row, rows } from '../../src/kernel/database/db.ts';
import { request, type TestGame, type TestServer } from './server.ts';
import { until } from './until.ts';

export type DumpName = 'null_deref_inline' | 'nosym_middle';

/** The dump of a real program that crashes on purpose. */
export function readDumpFixture(name: DumpName): Buffer {
  return readFileSync(new URL(`../fixtures/crashes/${name}.dmp`, import.meta.url));
}

/** The symbols of that program. */
export function readSymbolFixture(name: DumpName): Buffer {
  return readFileSync(new URL(`../fixtures/crashes/${name}.sym`, import.meta.url));
}

type ReportFields = Record<string, unknown>;

/** Creates a crash report and uploads its dump, if any. Returns the report's id. */
export async function reportCrash(
  { api }: Pick<TestServer, 'api'>,
  { uid }: Pick<TestGame, 'uid'>,
  buildId: string,
  { dump, ...fields }: ReportFields & { dump?: Uint8Array } = {},
): Promise<string> {
  const { body } = await request(`${api}/public/crashes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': uid, 'x-build-id': buildId },
    body: JSON.stringify({ ...fields, has_dump: dump !== undefined }),
  });
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  if (dump !== undefined) {
    const sent = await request(body.data.uploads.dump.url, { method: 'PUT', body: Buffer.from(dump) });
    if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));
  }
  return body.data.id;
}

export type StoredReport = {
  report_id: string;
  state: string;
  failure: string | null;
  reason: string | null;
  signature: string | null;
  crash_address: string | null;
  frames: { function: string | null; file: string | null; module: string | null; inlined: boolean; trust: string }[];
  functions: string[];
  missing_symbols: string[];
  stack_key: string | null;
  group_id: string | null;
  grouping_version: number | null;
};

/** Reads the row of a report. */
export function reportRow({ ctx }: TestServer, reportId: string): Promise<StoredReport> {
  return onlyRow(
    ctx.db,
    sql<StoredReport>`select report_id, state, failure, reason, signature, crash_address, frames, functions, missing_symbols,
      stack_key, group_id, grouping_version from crash_reports where report_id = ${reportId}`,
  );
}

/** Waits until the report is processed or has failed, and is in a group. Returns its row. */
export function untilDone(server: TestServer, reportId: string): Promise<StoredReport> {
  return until(async () => {
    const stored = await reportRow(server, reportId);
    return (stored.state === 'processed' || stored.state === 'failed') && stored.group_id !== null && stored;
  });
}

export type StoredGroup = {
  group_id: string;
  kind: string;
  title: string;
  reason: string | null;
  explanation: string[];
  count: number;
  first_seen: Date;
  last_seen: Date;
  sample_report_id: string | null;
  status: string;
  regressed_at: Date | null;
};

export function groupsOf({ ctx }: TestServer, { uid }: Pick<TestGame, 'uid'>): Promise<StoredGroup[]> {
  return rows(
    ctx.db,
    sql<StoredGroup>`select group_id, kind, title, reason, explanation, count, first_seen, last_seen, sample_report_id, status,
      regressed_at from crash_groups where game_id = ${uid} order by title`,
  );
}

/**
 * Returns a group whose counts differ from its reports; undefined if all are correct. Cannot be used after reports were
 * dropped because of their age, since those still count.
 */
export function findMiscount({ ctx }: Pick<TestServer, 'ctx'>, gameId: string): Promise<unknown> {
  return row(
    ctx.db,
    sql`with days as (
        select group_id, build_id, os, (received_at at time zone 'utc')::date as day, count(*) as count from crash_reports
        where game_id = ${gameId} and group_id is not null group by 1, 2, 3, 4
      )
      select 'by day' as what, group_id::text, days.count as reports, counts.count as counted from days
        full join (select * from crash_group_counts where game_id = ${gameId}) counts using (group_id, build_id, os, day)
        where days.count is distinct from counts.count
      union all
      select 'by build and OS', group_id::text, sums.count, totals.count
        from (select group_id, build_id, os, sum(count) as count from crash_group_counts where game_id = ${gameId} group by 1, 2, 3) sums
        full join (select * from crash_group_totals where game_id = ${gameId}) totals using (group_id, build_id, os)
        where sums.count is distinct from totals.count
      union all
      select 'by day only', group_id::text, sums.count, days_alone.count
        from (select group_id, day, sum(count) as count from crash_group_counts where game_id = ${gameId} group by 1, 2) sums
        full join (select * from crash_group_days where game_id = ${gameId}) days_alone using (group_id, day)
        where sums.count is distinct from days_alone.count
      union all
      select 'in total', groups.group_id::text, coalesce(sum(days.count), 0), groups.count from crash_groups groups
        left join days using (group_id) where groups.game_id = ${gameId}
        group by groups.group_id, groups.count having coalesce(sum(days.count), 0) <> groups.count
      limit 1`,
  );
}
