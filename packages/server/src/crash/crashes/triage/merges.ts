// Merges crash groups, separates them, and splits off reports. Merged groups keep their own reports and counts, so
// everything can be undone.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/triage';
import type { AccountCaller } from '../../../context.ts';
import type { Tx } from '../../../kernel/database/db.ts';
import { addJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { insertActivity } from '../groups/activity.sql.ts';
import { splitOff } from '../groups/grouping.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { findHeads, lockMerges } from '../groups/state.sql.ts';
import { unknownGroup } from '../read/group-list.sql.ts';
import { madeBy } from './changes.ts';
import * as groupMoves from './group-moves.ts';

/** Groups that moved: the group, and the groups that it was merged into before and after. */
export type Moves = readonly (readonly [groupId: string, before: string | null, after: string | null])[];
/** Functions that were split off: [the group, its part with the function]. */
export type Splits = readonly (readonly [groupId: string, splitId: string])[];

export const mergeCrashGroups = handle(contract.mergeCrashGroups, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const ids = input.group_ids.map((id) => id.toLowerCase());
  const into = input.into?.toLowerCase();
  if (into !== undefined && !ids.includes(into)) throw errors.invalid('into: choose one of group_ids.');
  return transactGroups(ctx.db, async (tx) => {
    const placements = await lockHeadFamilies(tx, game.game_id, ids);
    if (new Set(placements.map(({ report_kind }) => report_kind)).size > 1)
      throw errors.invalid('group_ids: groups of crashes and groups of errors cannot be merged. Choose one kind.');
    const headId = headOf(placements, into) ?? (await largestOf(tx, game.game_id, placements));
    const moves = placements
      .filter(({ group_id, merged_into }) => group_id !== headId && merged_into !== headId)
      .map(({ group_id, merged_into }) => [group_id, merged_into, headId] as const);
    if (moves.length === 0) return { group_id: headId, change_uid: null };
    await groupMoves.placeGroups(
      tx,
      game.game_id,
      moves.map(([id]) => id),
      headId,
    );
    // The group stays if its last report is deleted.
    await groupMoves.markTriaged(tx, game.game_id, headId);
    const changeUid = await recordMoves(tx, caller, game.game_id, { kind: 'merge', headId, moves });
    return { group_id: headId, change_uid: changeUid };
  });
});

/**
 * Locks the groups and the groups that they are merged into, with all others in these. Throws `notFound` if one is
 * missing.
 */
async function lockHeadFamilies(tx: Tx, gameId: string, ids: readonly string[]): Promise<groupMoves.Placement[]> {
  await lockMerges(tx, gameId);
  const found = await findHeads(tx, gameId, ids);
  if (found.length < ids.length) throw unknownGroup();
  const heads = new Set(found.map(({ head_id }) => head_id));
  const placements = await groupMoves.lockFamilies(tx, gameId, [...heads]);
  // Groups without reports are deleted, and one may have lost its last report meanwhile.
  if (!ids.every((id) => placements.some(({ group_id }) => group_id === id))) throw unknownGroup();
  return placements.filter(({ group_id, merged_into }) => heads.has(merged_into ?? group_id));
}

function headOf(placements: readonly groupMoves.Placement[], groupId: string | undefined): string | undefined {
  const group = placements.find(({ group_id }) => group_id === groupId);
  return group?.merged_into ?? group?.group_id;
}

async function largestOf(tx: Tx, gameId: string, placements: readonly groupMoves.Placement[]): Promise<string> {
  const heads = placements.filter(({ merged_into }) => merged_into === null).map(({ group_id }) => group_id);
  const counts = await groupMoves.countFamilies(tx, gameId, heads);
  return heads.reduce((best, id) => ((counts.get(id) ?? 0) > (counts.get(best) ?? 0) ? id : best));
}

export const unmergeCrashGroups = handle(contract.unmergeCrashGroups, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const headId = input.group_id.toLowerCase();
  const ids = input.group_ids.map((id) => id.toLowerCase());
  return transactGroups(ctx.db, async (tx) => {
    await lockMerges(tx, game.game_id);
    const placements = await groupMoves.lockFamilies(tx, game.game_id, [headId]);
    if (!placements.some(({ group_id }) => group_id === headId)) throw unknownGroup();
    const moves = placements
      .filter(({ group_id, merged_into }) => merged_into === headId && ids.includes(group_id))
      .map(({ group_id }) => [group_id, headId, null] as const);
    if (moves.length < ids.length) throw errors.notFound('group_ids: one of them is not merged into this group.');
    await groupMoves.placeGroups(tx, game.game_id, ids, null);
    return { change_uid: await recordMoves(tx, caller, game.game_id, { kind: 'unmerge', headId, moves }) };
  });
});

/** Records it for the group that others were merged into or separated from. Returns the id of the change. */
export async function recordMoves(
  tx: Tx,
  caller: AccountCaller,
  gameId: string,
  { kind, headId, moves }: { kind: 'merge' | 'unmerge'; headId: string; moves: Moves },
): Promise<string> {
  const changeId = newId();
  const entry = { ...madeBy(caller), activityId: newId(), groupId: headId, kind, changeId, after: { moves } };
  await insertActivity(tx, gameId, [entry]);
  return changeId;
}

const NO_SUCH_FUNCTION = 'function: no report of this group has a function of this name on its stack.';
const SPLIT_ELSEWHERE =
  'function: all reports with it are in a group that was split off from another one. Separate that group instead.';

/** Splits a group and, in the same way, the groups merged into it, whose parts are merged as well. */
export const splitCrashGroup = handle(contract.splitCrashGroup, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { function: name } = input;
  const gameId = game.game_id;
  return transactGroups(ctx.db, async (tx) => {
    const placements = await lockHeadFamilies(tx, gameId, [input.group_id.toLowerCase()]);
    const headId = headOf(placements, input.group_id.toLowerCase())!;
    // The group first: the other parts are merged into its part.
    const family = placements.toSorted((a, b) => Number(b.group_id === headId) - Number(a.group_id === headId));
    const { sourceIds, joiningIds } = await findSources(tx, gameId, family, name);
    const splits: [string, string][] = [];
    for (const groupId of sourceIds) splits.push([groupId, await splitOne(tx, gameId, groupId, name)]);
    const [first, ...others] = splits.map(([, splitId]) => splitId);
    if (first === undefined) throw errors.invalid(joiningIds.length > 0 ? SPLIT_ELSEWHERE : NO_SUCH_FUNCTION);
    await groupMoves.placeGroups(tx, gameId, [first], null);
    await placeParts(tx, gameId, [...others, ...joiningIds], first);
    const changeId = newId();
    const entry = { ...madeBy(caller), kind: 'split' as const, changeId, after: { function: name, splits } };
    await insertActivity(tx, gameId, [{ ...entry, activityId: newId(), groupId: headId }]);
    for (const [groupId] of splits) await addJob(tx, groupMoves.moveSplitJob, { gameId, groupId, name, before: null });
    return { group_id: first, change_uid: changeId };
  });
});

/** The groups that are merged: those to split, and those of which all reports have the function. */
type Sources = { readonly sourceIds: readonly string[]; readonly joiningIds: readonly string[] };

/** Throws `invalid` if all reports of the first group have the function. */
async function findSources(
  tx: Tx,
  gameId: string,
  family: readonly groupMoves.Placement[],
  name: string,
): Promise<Sources> {
  const ids = family.map(({ group_id }) => group_id);
  const sourceIds = new Set<string>();
  const joiningIds: string[] = [];
  for (const { group_id: groupId, split_from: splitFrom, split_function: splitFunction } of family) {
    if (!(await groupMoves.hasFunction(tx, gameId, groupId, name))) continue;
    if (splitFunction !== name) sourceIds.add(groupId);
    else if (groupId === ids[0])
      throw errors.invalid('function: all reports of this group have it on their stack. Choose another one.');
    // It was split off before, and merged with its group again.
    else if (splitFrom !== null && ids.includes(splitFrom)) sourceIds.add(splitFrom);
    else joiningIds.push(groupId);
  }
  return { sourceIds: ids.filter((id) => sourceIds.has(id)), joiningIds };
}

/** Merges groups into a part, together with the groups that are in them. */
async function placeParts(tx: Tx, gameId: string, groupIds: readonly string[], headId: string): Promise<void> {
  if (groupIds.length === 0) return;
  const placements = await groupMoves.lockFamilies(tx, gameId, groupIds);
  const moved = placements.filter(
    ({ group_id, merged_into }) =>
      group_id !== headId && (groupIds.includes(group_id) || (merged_into !== null && groupIds.includes(merged_into))),
  );
  await groupMoves.placeGroups(
    tx,
    gameId,
    moved.map(({ group_id }) => group_id),
    headId,
  );
}

/** Returns the id of the part. Throws `invalid` if the group cannot be split like this. */
async function splitOne(tx: Tx, gameId: string, groupId: string, name: string): Promise<string> {
  const group = await groupMoves.findForSplit(tx, gameId, groupId);
  if (group === undefined) throw unknownGroup();
  const { grouping, splitFunctions } = group;
  if (!splitFunctions.includes(name) && splitFunctions.length >= LIMITS.crashGroupSplits)
    throw errors.invalid(`function: at most ${LIMITS.crashGroupSplits} groups can be split off from a group.`);
  const splitId = await groupMoves.insertSplit(tx, gameId, {
    from: groupId,
    name,
    grouping: splitOff(grouping, name),
  });
  await groupMoves.setSplitFunctions(tx, gameId, groupId, [...splitFunctions.filter((each) => each !== name), name]);
  return splitId;
}
