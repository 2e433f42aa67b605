// The SQL that reads and writes the state of crash groups: what people decide about them.
import type { GroupStatus, Priority } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { changed, rows, type Tx } from '../../../kernel/database/db.ts';

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
