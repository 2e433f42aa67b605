// The SQL of the preview of grouping rules.
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';
import { type GroupingRow, groupingColumns } from '../report/jobs.ts';

export type StackRow = GroupingRow & {
  stack_key: string;
  group_id: string;
  /** The group that it is shown in. */
  head_id: string;
  title: string;
  split_from: string | null;
};

/** The newest reports with a stack, and their groups. */
export function listNewestStacks(db: Db, gameId: string, limit: number): Promise<StackRow[]> {
  return rows(
    db,
    sql<StackRow>`select newest.*, coalesce(merged_into, newest.group_id) as head_id, ${shownTitle} as title, split_from
      from (
        select ${groupingColumns}, stack_key, group_id from crash_reports
        where game_id = ${gameId} and stack_key is not null and group_id is not null
        order by report_id desc limit ${limit}
      ) as newest join crash_groups on crash_groups.game_id = ${gameId} and crash_groups.group_id = newest.group_id
      order by report_id desc`,
  );
}

export type KeyRow = {
  /** The key as hex. */
  key: string;
  group_id: string;
  head_id: string;
  title: string;
};

/** The groups with these keys. */
export function findByKeys(db: Db, gameId: string, keys: readonly string[]): Promise<KeyRow[]> {
  const bytes = keys.map((key) => Buffer.from(key, 'hex'));
  return rows(
    db,
    sql<KeyRow>`select encode(key, 'hex') as key, group_id, coalesce(merged_into, group_id) as head_id,
        ${shownTitle} as title
      from crash_groups where game_id = ${gameId} and key = any(${bytes}::bytea[])`,
  );
}
