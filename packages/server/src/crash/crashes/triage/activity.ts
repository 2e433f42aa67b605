// What happened to a crash group, for developers.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { GroupStatus, Priority } from '@chauffeur/contract/operations/crash-groups';
import * as contract from '@chauffeur/contract/operations/triage';
import type { Db } from '../../../kernel/database/db.ts';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import { findNames } from '../../../people/accounts/accounts.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../../request/cursor.ts';
import { handle } from '../../../request/route.ts';
import { type ActivityRow, listActivity } from '../groups/activity.sql.ts';
import type { State } from '../groups/state.sql.ts';
import { findFamily } from '../read/family.sql.ts';
import { unknownGroup } from '../read/not-found.ts';
import * as sql from './merges.sql.ts';
import type { Moves, Splits } from './merges.ts';

type List = OutputOf<typeof contract.listCrashGroupActivity>;
type Record = List['activity'][number];
type Aspects = NonNullable<Record['before']>;

const PAGE_SIZE = 50;

/** Includes what happened to the groups that were merged into it. */
export const listCrashGroupActivity = handle(contract.listCrashGroupActivity, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { group_id: groupId, cursor, limit = PAGE_SIZE } = input;
  const family = await findFamily(ctx.db, game.game_id, groupId);
  if (family.length === 0) throw unknownGroup();
  const list = ['activity', game.game_id, groupId];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const matches = await listActivity(ctx.db, game.game_id, family, { before, limit: limit + 1 });
  const { page, last } = cutPage(matches, limit);
  return {
    activity: await activityRecords(ctx.db, game.game_id, page),
    next_cursor: last === null ? null : writeCursor(list, [last.activity_id]),
  };
});

type Details = { moves?: Moves; splits?: Splits; function?: string };

export async function activityRecords(db: Db, gameId: string, rows: readonly ActivityRow[]): Promise<Record[]> {
  const states = rows.filter(({ kind }) => HAS_STATE.includes(kind)).flatMap(({ before, after }) => [before, after]);
  const userIds = states.flatMap((state) => (state as Partial<State> | null)?.assignee_id ?? []);
  const names = await findNames(db, [...new Set(userIds)]);
  const titles = await sql.findTitles(db, gameId, [...new Set(rows.flatMap(groupsIn))]);
  return rows.map((row): Record => {
    const hasState = HAS_STATE.includes(row.kind);
    const details = (hasState ? {} : (row.after ?? {})) as Details;
    return {
      activity_uid: row.activity_id,
      kind: row.kind,
      at: new Date(timeOfId(row.activity_id)).toISOString(),
      user_id: row.user_id,
      name: row.user_name,
      agent: row.agent_name,
      change_uid: row.change_id,
      before: hasState ? aspectsOf(row.before, names) : null,
      after: hasState ? aspectsOf(row.after, names) : null,
      groups: groupsIn(row).map((id) => ({ group_id: id, title: titles.get(id) ?? '' })),
      function: details.function ?? null,
      comment: row.comment,
      edited_at: row.edited_at?.toISOString() ?? null,
    };
  });
}

const HAS_STATE: readonly string[] = ['change', 'reopen'];

function groupsIn({ kind, after }: ActivityRow): string[] {
  if (after === null || HAS_STATE.includes(kind)) return [];
  const { moves = [], splits } = after as Details;
  return splits === undefined ? moves.map(([id]) => id) : splits.slice(0, 1).map(([, splitId]) => splitId);
}

function aspectsOf(recorded: object | null, names: ReadonlyMap<string, string>): Aspects | null {
  if (recorded === null) return null;
  const state = recorded as Partial<State>;
  const snoozed = state.snoozed_at !== undefined;
  return {
    ...(state.status !== undefined && { status: state.status as GroupStatus }),
    ...(state.fixed_in_version !== undefined && { fixed_in_version: state.fixed_in_version }),
    ...(snoozed && {
      snooze:
        state.snoozed_at === null
          ? null
          : {
              until: state.snoozed_until == null ? null : new Date(`${state.snoozed_until}Z`).toISOString(),
              reports: state.snoozed_reports ?? null,
              next_build: state.snoozed_until_build ?? false,
            },
    }),
    ...(state.assignee_id !== undefined && {
      assignee:
        state.assignee_id === null
          ? null
          : { user_id: state.assignee_id, name: names.get(state.assignee_id) ?? 'Former member' },
    }),
    ...(state.priority !== undefined && { priority: state.priority as Priority | null }),
    ...(state.custom_title !== undefined && { title: state.custom_title }),
    ...(state.issue_url !== undefined && { issue_url: state.issue_url }),
  };
}
