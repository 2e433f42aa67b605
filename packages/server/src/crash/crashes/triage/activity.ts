// What happened to a crash group, for developers, and their comments. Members who are mentioned in one are emailed.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { GroupStatus, Priority } from '@chauffeur/contract/operations/crash-groups';
import * as contract from '@chauffeur/contract/operations/triage';
import type { Db } from '../../../kernel/database/db.ts';
import { newId, timeOfId } from '../../../kernel/secrets/ids.ts';
import { findNames } from '../../../people/accounts/accounts.sql.ts';
import { listMembers } from '../../../people/game-access/game-access.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../../request/cursor.ts';
import { handle } from '../../../request/route.ts';
import * as activity from '../groups/activity.sql.ts';
import { type ActivityRow, listActivity } from '../groups/activity.sql.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import type { State } from '../groups/state.sql.ts';
import { findFamily, unknownGroup } from '../read/group-list.sql.ts';
import { lockHeads, madeBy } from './changes.ts';
import * as groupMoves from './group-moves.ts';
import type { Moves, Splits } from './merges.ts';
import { mentionEmails, sendTriageEmails } from './triage-emails.ts';

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
  const titles = await groupMoves.findTitles(db, gameId, [...new Set(rows.flatMap(groupsIn))]);
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

type Comment = OutputOf<typeof contract.addCrashGroupComment>;

export const addCrashGroupComment = handle(contract.addCrashGroupComment, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const members = await listMembers(ctx.db, game.game_id);
  const activityId = newId(ctx.clock.now().getTime());
  await transactGroups(ctx.db, async (tx) => {
    const [group] = await lockHeads(tx, game.game_id, [input.group_id]);
    const entry = { ...madeBy(caller), activityId, groupId: group!.group_id, kind: 'comment' as const };
    await activity.insertActivity(tx, game.game_id, [{ ...entry, comment: input.comment }]);
    await groupMoves.markTriaged(tx, game.game_id, group!.group_id);
    const mentioned = mentionedIn(input.comment, members);
    await sendTriageEmails(
      ctx,
      tx,
      caller,
      game.game_id,
      await mentionEmails(ctx, { caller, game, group: group!, mentioned, comment: input.comment }),
    );
  });
  return readComment(ctx.db, game.game_id, input.group_id, activityId);
});

/** Members who are mentioned only now are emailed. */
export const updateCrashGroupComment = handle(contract.updateCrashGroupComment, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const members = await listMembers(ctx.db, game.game_id);
  await transactGroups(ctx.db, async (tx) => {
    const [group] = await lockHeads(tx, game.game_id, [input.group_id]);
    const existing = await requireComment(tx, game.game_id, input.group_id, input.activity_uid);
    if (existing.user_id !== caller.user.id) throw errors.notAllowed('Only the author of a comment can edit it.');
    const change = { comment: input.comment, at: ctx.clock.now() };
    if (!(await activity.updateComment(tx, game.game_id, input.activity_uid, change))) throw unknownComment();
    const before = mentionedIn(existing.comment ?? '', members).map(({ user_id }) => user_id);
    const mentioned = mentionedIn(input.comment, members).filter(({ user_id }) => !before.includes(user_id));
    await sendTriageEmails(
      ctx,
      tx,
      caller,
      game.game_id,
      await mentionEmails(ctx, { caller, game, group: group!, mentioned, comment: input.comment }),
    );
  });
  return readComment(ctx.db, game.game_id, input.group_id, input.activity_uid);
});

export const deleteCrashGroupComment = handle(contract.deleteCrashGroupComment, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const existing = await requireComment(ctx.db, game.game_id, input.group_id, input.activity_uid);
  if (existing.user_id !== caller.user.id && role !== 'owner')
    throw errors.notAllowed('Only the author of a comment and the owner of the game can delete it.');
  return { deleted: await activity.deleteComment(ctx.db, game.game_id, input.activity_uid) };
});

async function readComment(db: Db, gameId: string, groupId: string, activityId: string): Promise<Comment> {
  const comment = await requireComment(db, gameId, groupId, activityId);
  const [record] = await activityRecords(db, gameId, [comment]);
  return record!;
}

/** Also finds comments on groups that were merged into this one, or that this one was merged into. */
async function requireComment(
  db: Db,
  gameId: string,
  groupId: string,
  activityId: string,
): Promise<activity.ActivityRow> {
  const family = await findFamily(db, gameId, groupId);
  const comment = await activity.findComment(db, gameId, family, activityId);
  if (comment === undefined) throw unknownComment();
  return comment;
}

function unknownComment(): ApiError {
  return errors.notFound('activity_uid: this group has no such comment; it may have been deleted.');
}

type Named = { readonly user_id: string; readonly name: string };

/**
 * The members whose name follows an @. Case does not matter. Of names of which one begins with the other, the longer
 * counts.
 */
export function mentionedIn<Member extends Named>(comment: string, members: readonly Member[]): Member[] {
  const byLength = members.toSorted((a, b) => b.name.length - a.name.length);
  const mentioned = new Set<Member>();
  const text = comment.toLowerCase();
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at > 0 && IN_WORD.test(text[at - 1]!)) continue;
    const match = byLength.find(({ name }) => {
      const lower = name.toLowerCase();
      return text.startsWith(lower, at + 1) && !IN_WORD.test(text[at + 1 + lower.length] ?? '');
    });
    // People may have the same name.
    if (match !== undefined)
      for (const member of members) if (member.name.toLowerCase() === match.name.toLowerCase()) mentioned.add(member);
  }
  return [...mentioned];
}

const IN_WORD = /[\p{L}\p{N}_]/u;
