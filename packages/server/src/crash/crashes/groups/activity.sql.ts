// The SQL of what happened to crash groups.
import type { ACTIVITY_KINDS } from '@chauffeur/contract/operations/triage';
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../../kernel/database/db.ts';

type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export type NewActivity = {
  readonly activityId: string;
  readonly groupId: string;
  readonly kind: ActivityKind;
  /** What one request changed in any number of groups. */
  readonly changeId?: string;
  /** The person; the service did it if there is none. */
  readonly userId?: string;
  readonly userName?: string;
  readonly agentName?: string | null;
  readonly before?: object;
  readonly after?: object;
  readonly comment?: string;
};

export type ActivityRow = {
  activity_id: string;
  group_id: string;
  kind: ActivityKind;
  change_id: string | null;
  user_id: string | null;
  user_name: string | null;
  agent_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  comment: string | null;
  edited_at: Date | null;
};

const columns = sql.raw(
  'activity_id, group_id, kind, change_id, user_id, user_name, agent_name, before, after, comment, edited_at',
);

export async function insertActivity(tx: Tx, gameId: string, activity: readonly NewActivity[]): Promise<void> {
  const entries = activity.map((entry) => ({
    activity_id: entry.activityId,
    group_id: entry.groupId,
    kind: entry.kind,
    change_id: entry.changeId ?? null,
    user_id: entry.userId ?? null,
    user_name: entry.userName ?? null,
    agent_name: entry.agentName ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    comment: entry.comment ?? null,
  }));
  await changed(
    tx,
    sql`insert into crash_group_activity (game_id, ${columns})
      select ${gameId}, ${columns} from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as entry (
        activity_id uuid, group_id uuid, kind text, change_id uuid, user_id text, user_name text, agent_name text,
        before jsonb, after jsonb, comment text, edited_at timestamptz)`,
  );
}

/** What happened to these groups, newest first. */
export function listActivity(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
  { before, limit }: { before: string | null; limit: number },
): Promise<ActivityRow[]> {
  return rows(
    db,
    sql<ActivityRow>`select ${columns} from crash_group_activity
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])
        and (${before}::uuid is null or activity_id < ${before}::uuid)
      order by activity_id desc limit ${limit}`,
  );
}

/** What one request changed, in the order in which it did. */
export function findChange(db: Db, gameId: string, changeId: string): Promise<ActivityRow[]> {
  return rows(
    db,
    sql<ActivityRow>`select ${columns} from crash_group_activity
      where game_id = ${gameId} and change_id = ${changeId} order by activity_id`,
  );
}

export function findComment(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
  activityId: string,
): Promise<ActivityRow | undefined> {
  return row(
    db,
    sql<ActivityRow>`select ${columns} from crash_group_activity
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[]) and activity_id = ${activityId}
        and kind = 'comment'`,
  );
}

/** Returns false if the comment was deleted meanwhile. */
export async function updateComment(
  db: Db,
  gameId: string,
  activityId: string,
  { comment, at }: { comment: string; at: Date },
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_group_activity set comment = ${comment}, edited_at = ${at}
      where game_id = ${gameId} and activity_id = ${activityId} and kind = 'comment'`,
  );
  return count > 0;
}

export async function deleteComment(db: Db, gameId: string, activityId: string): Promise<boolean> {
  const count = await changed(
    db,
    sql`delete from crash_group_activity
      where game_id = ${gameId} and activity_id = ${activityId} and kind = 'comment'`,
  );
  return count > 0;
}
