// Changes the state of crash groups, one or many at once, and records who did it.
import { findDisplayNameProblem, tidyDisplayName } from '@chauffeur/contract/display-name';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/triage';
import { readWebAddress } from '@chauffeur/contract/web-address';
import type { AccountCaller, Context } from '../../../context.ts';
import type { Tx } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { listMembers } from '../../../people/game-access/game-access.sql.ts';
import { type Game, requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { insertActivity, type NewActivity } from '../groups/activity.sql.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import {
  findHeads,
  type GroupAndState,
  lockStates,
  STATE_COLUMNS,
  type State,
  setSnoozeCounts,
  updateState,
} from '../groups/state.sql.ts';
import { unknownGroup } from '../read/group-list.sql.ts';
import { readGroup } from '../read/group-list.ts';
import { assignmentEmails, sendTriageEmails } from './triage-emails.ts';

type Input = Omit<InputOf<typeof contract.updateCrashGroup>, 'uid' | 'group_id'>;
/** `changeUid` is null if every group was like that already. */
type Change = { changeUid: string | null; changed: number };

export const updateCrashGroup = handle(contract.updateCrashGroup, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { uid: _uid, group_id, ...change } = input;
  const { changeUid } = await changeGroups(ctx, { caller, game, groupIds: [group_id], change });
  return { ...(await readGroup(ctx, game.game_id, group_id)), change_uid: changeUid };
});

export const changeCrashGroups = handle(contract.changeCrashGroups, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { uid: _uid, group_ids: groupIds, ...change } = input;
  const { changeUid, changed } = await changeGroups(ctx, { caller, game, groupIds, change });
  return { change_uid: changeUid, changed };
});

type Request = { caller: AccountCaller; game: Game; groupIds: readonly string[]; change: Input };

/**
 * Instead of a merged group, changes the group that it is shown in. Throws `notFound` if one of the groups does not
 * exist.
 */
export async function changeGroups(ctx: Context, { caller, game, groupIds, change }: Request): Promise<Change> {
  const now = ctx.clock.now();
  checkChange(change, now);
  if (change.assignee != null) await requireAssignable(ctx, game.game_id, change.assignee);
  return transactGroups(ctx.db, async (tx) => {
    const groups = await lockHeads(tx, game.game_id, groupIds);
    const values = valuesOf(change, { now, name: caller.user.name });
    const different = groups.filter(({ state }) => isDifferent(state, values));
    if (different.length === 0) return { changeUid: null, changed: 0 };
    const ids = different.map(({ group_id }) => group_id);
    await applyChange(tx, game.game_id, different, values, change.snooze?.reports);
    const after = await lockStates(tx, game.game_id, ids);
    const changeUid = await addGroupChange(tx, caller, game.game_id, different, after);
    if (change.assignee != null)
      await sendTriageEmails(
        ctx,
        tx,
        caller,
        game.game_id,
        await assignmentEmails(ctx, { caller, game, userId: change.assignee, groups: different }),
      );
    return { changeUid, changed: different.length };
  });
}

/** Throws `invalid` for fields that do not go together, and for texts that are not titles or addresses. */
function checkChange(change: Input, now: Date): void {
  const { status, fixed_in_version: fixedIn, snooze, title, issue_url: issueUrl } = change;
  const titleProblem = title == null ? null : findDisplayNameProblem(title, LIMITS.titleLength);
  if (titleProblem !== null) throw errors.invalid(`title: ${titleProblem}.`);
  if (issueUrl != null && readWebAddress(issueUrl) === null) throw errors.invalid('issue_url: must be an address.');
  if (fixedIn !== undefined && status !== 'resolved')
    throw errors.invalid('fixed_in_version: only for resolved groups. Send it with the status resolved.');
  if (status !== 'snoozed') {
    if (snooze !== undefined) throw errors.invalid('snooze: only with the status snoozed.');
    return;
  }
  const { until, reports, next_build: nextBuild = false } = snooze ?? {};
  if (until === undefined && reports === undefined && !nextBuild)
    throw errors.invalid('snooze: set until, reports or next_build, which decide when the group opens again.');
  if (until !== undefined && new Date(until) <= now) throw errors.invalid('snooze.until: choose a time in the future.');
}

async function requireAssignable(ctx: Context, gameId: string, userId: string): Promise<void> {
  const members = await listMembers(ctx.db, gameId);
  if (!members.some(({ user_id }) => user_id === userId))
    throw errors.invalid('assignee: this person is not a member of the game.');
}

/**
 * Locks the groups, and instead of merged ones the groups that they are shown in. Throws `notFound` if one does not
 * exist.
 */
export async function lockHeads(tx: Tx, gameId: string, groupIds: readonly string[]): Promise<GroupAndState[]> {
  const wanted = new Set(groupIds.map((id) => id.toLowerCase()));
  for (;;) {
    const found = await findHeads(tx, gameId, [...wanted]);
    if (found.length < wanted.size) throw unknownGroup();
    const headIds = new Set(found.map(({ head_id }) => head_id));
    const heads = await lockStates(tx, gameId, [...headIds]);
    // One may have been merged meanwhile, or deleted with its last report.
    if (heads.length === headIds.size && heads.every(({ merged_into }) => merged_into === null)) return heads;
  }
}

const NOT_SNOOZED = {
  snoozed_at: null,
  snoozed_until: null,
  snoozed_reports: null,
  snoozed_until_count: null,
  snoozed_until_build: false,
};
const NOT_RESOLVED = { fixed_in_version: null, resolved_at: null, resolved_by: null };

/** The columns that the change sets, except for the count of a snooze, which depends on the group. */
function valuesOf(change: Input, { now, name }: { now: Date; name: string }): Partial<State> {
  return {
    ...(change.status !== undefined && statusValues(change, now, name)),
    ...(change.assignee !== undefined && { assignee_id: change.assignee }),
    ...(change.priority !== undefined && { priority: change.priority }),
    ...(change.title !== undefined && { custom_title: change.title && tidyDisplayName(change.title) }),
    ...(change.issue_url !== undefined && { issue_url: change.issue_url }),
  };
}

function statusValues({ status, fixed_in_version, snooze }: Input, now: Date, name: string): Partial<State> {
  const common = { status: status!, regressed_at: null, ...NOT_RESOLVED, ...NOT_SNOOZED };
  if (status === 'resolved')
    return { ...common, fixed_in_version: fixed_in_version ?? null, resolved_at: timeOf(now), resolved_by: name };
  if (status !== 'snoozed') return common;
  return {
    ...common,
    snoozed_at: timeOf(now),
    snoozed_until: snooze?.until === undefined ? null : timeOf(new Date(snooze.until)),
    snoozed_reports: snooze?.reports ?? null,
    snoozed_until_build: snooze?.next_build ?? false,
  };
}

/** The time in UTC, without an offset: as in `State`. */
function timeOf(time: Date): string {
  return time.toISOString().slice(0, -1);
}

/** When somebody did the same before does not make a difference. */
const INCIDENTAL: readonly (keyof State)[] = ['resolved_at', 'resolved_by', 'regressed_at'];

function isDifferent(state: State, values: Partial<State>): boolean {
  if (values.status === 'snoozed') return true;
  return STATE_COLUMNS.some(
    (name) => !INCIDENTAL.includes(name) && values[name] !== undefined && values[name] !== state[name],
  );
}

async function applyChange(
  tx: Tx,
  gameId: string,
  groups: readonly GroupAndState[],
  values: Partial<State>,
  snoozedReports: number | undefined,
): Promise<void> {
  const ids = groups.map(({ group_id }) => group_id);
  await updateState(tx, gameId, ids, values);
  if (snoozedReports === undefined) return;
  await setSnoozeCounts(tx, gameId, ids, snoozedReports);
}

/** Records how the groups were before and after, as far as they differ. Returns the id of the change. */
export async function addGroupChange(
  tx: Tx,
  caller: AccountCaller,
  gameId: string,
  before: readonly GroupAndState[],
  after: readonly GroupAndState[],
): Promise<string> {
  const changeId = newId();
  const states = new Map(after.map(({ group_id, state }) => [group_id, state]));
  const entries = before.map(({ group_id: groupId, state }): NewActivity => {
    const now = states.get(groupId)!;
    const names = STATE_COLUMNS.filter((name) => state[name] !== now[name]);
    const pick = (from: State) => Object.fromEntries(names.map((name) => [name, from[name]]));
    return {
      ...madeBy(caller),
      activityId: newId(),
      groupId,
      kind: 'change',
      changeId,
      before: pick(state),
      after: pick(now),
    };
  });
  await insertActivity(tx, gameId, entries);
  return changeId;
}

export function madeBy({ user, agent }: AccountCaller): Pick<NewActivity, 'userId' | 'userName' | 'agentName'> {
  return { userId: user.id, userName: user.name, agentName: agent?.name ?? null };
}
