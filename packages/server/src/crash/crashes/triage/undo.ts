// Undoes changes, merges and splits of crash groups.
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/triage';
import type { AccountCaller } from '../../../context.ts';
import type { Tx } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { type ActivityRow, findChange, insertActivity } from '../groups/activity.sql.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { lockMerges, lockStates, type State, updateState } from '../groups/state.sql.ts';
import { addGroupChange, madeBy } from './changes.ts';
import * as groupMoves from './group-moves.ts';
import { type Moves, recordMoves, type Splits } from './merges.ts';

type Undone = OutputOf<typeof contract.undoCrashGroupChange>;

/** Undo is itself recorded as a change and can be undone. */
export const undoCrashGroupChange = handle(contract.undoCrashGroupChange, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return transactGroups(ctx.db, async (tx) => {
    await lockMerges(tx, game.game_id);
    const made = await findChange(tx, game.game_id, input.change_uid);
    const [first] = made;
    if (first === undefined) throw errors.notFound('change_uid: this game has no such change.');
    const undo = { tx, caller, gameId: game.game_id };
    if (first.kind === 'merge' || first.kind === 'unmerge') return undoMoves(undo, first);
    if (first.kind === 'split') return undoSplit(undo, first);
    if (first.kind === 'unsplit') return redoSplit(undo, first);
    return undoStates(undo, made);
  });
});

type Undo = { tx: Tx; caller: AccountCaller; gameId: string };

/** Undoes changes of the groups that still are as the change left them. */
async function undoStates({ tx, caller, gameId }: Undo, made: readonly ActivityRow[]): Promise<Undone> {
  const before = await lockStates(
    tx,
    gameId,
    made.map(({ group_id }) => group_id),
  );
  const entries = new Map(made.map((entry) => [entry.group_id, entry]));
  const undone = before.filter(({ group_id, state }) => {
    const after = entries.get(group_id)!.after as Partial<State>;
    return Object.entries(after).every(([name, value]) => state[name as keyof State] === value);
  });
  const bySameState = Map.groupBy(undone, ({ group_id }) => JSON.stringify(entries.get(group_id)!.before));
  for (const [state, groups] of bySameState)
    await updateState(
      tx,
      gameId,
      groups.map(({ group_id }) => group_id),
      JSON.parse(state) as Partial<State>,
    );
  const skipped = made.length - undone.length;
  if (undone.length === 0) return { change_uid: null, undone: 0, skipped };
  const after = await lockStates(
    tx,
    gameId,
    undone.map(({ group_id }) => group_id),
  );
  return { change_uid: await addGroupChange(tx, caller, gameId, undone, after), undone: undone.length, skipped };
}

/** Puts groups back where they were: only groups that still are where they were moved to. */
async function undoMoves(
  { tx, caller, gameId }: Undo,
  { kind, group_id: headId, after }: ActivityRow,
): Promise<Undone> {
  const { moves } = after as { moves: Moves };
  const placements = await groupMoves.lockFamilies(tx, gameId, [headId, ...involvedIn(moves)]);
  const back = undoable(moves, placements);
  const skipped = moves.length - back.length;
  if (back.length === 0) return { change_uid: null, undone: 0, skipped };
  await placeBack(tx, gameId, back);
  const changeUid = await recordMoves(tx, caller, gameId, {
    kind: kind === 'merge' ? 'unmerge' : 'merge',
    headId,
    moves: back.map(([id, from, to]) => [id, to, from] as const),
  });
  return { change_uid: changeUid, undone: back.length, skipped };
}

function involvedIn(moves: Moves): string[] {
  return moves.flatMap(([id, from]) => [id, from ?? id]);
}

/**
 * The moves that can be undone together: of groups that are still where they were moved to, unless a group would be
 * merged into one that is itself in another. `placements` has the groups that move, and all that are merged into them.
 */
function undoable(moves: Moves, placements: readonly groupMoves.Placement[]): Moves {
  const mergedInto = new Map(placements.map(({ group_id, merged_into }) => [group_id, merged_into]));
  let back = moves.filter(([id, , to]) => mergedInto.get(id) === to);
  // A group that can't move may keep others from moving.
  for (;;) {
    const after = new Map([...mergedInto, ...back.map(([id, from]) => [id, from] as const)]);
    const heads = new Set(after.values());
    const possible = back.filter(([id, from]) => from === null || (after.get(from) === null && !heads.has(id)));
    if (possible.length === back.length) return back;
    back = possible;
  }
}

async function placeBack(tx: Tx, gameId: string, moves: Moves): Promise<void> {
  for (const [from, moved] of Map.groupBy(moves, ([, from]) => from))
    await groupMoves.placeGroups(
      tx,
      gameId,
      moved.map(([id]) => id),
      from,
    );
}

/** The part is merged into the group again, and gets no further reports. */
async function undoSplit({ tx, caller, gameId }: Undo, { group_id: headId, after }: ActivityRow): Promise<Undone> {
  const { splits, function: name } = after as { splits: Splits; function: string };
  const placements = await groupMoves.lockFamilies(tx, gameId, [headId, ...splits.map(([, splitId]) => splitId)]);
  const head = placements.find(({ group_id }) => group_id === headId);
  const parts = placements.filter(({ group_id }) => splits.some(([, splitId]) => splitId === group_id));
  // Groups that were merged into a part since come along.
  const partIds = parts.map(({ group_id }) => group_id);
  const moved = placements.filter(
    ({ group_id, merged_into }) =>
      partIds.includes(group_id) || (merged_into !== null && partIds.includes(merged_into)),
  );
  const isGone = head === undefined || parts.length === 0;
  const target = head?.merged_into ?? headId;
  if (isGone || moved.some(({ group_id }) => group_id === target))
    return { change_uid: null, undone: 0, skipped: splits.length };
  await setSplit(tx, gameId, splits, name, false);
  await groupMoves.placeGroups(
    tx,
    gameId,
    moved.map(({ group_id }) => group_id),
    target,
  );
  const changeId = newId();
  const moves = moved.map(({ group_id, merged_into }) => [group_id, merged_into, target] as const);
  await insertActivity(tx, gameId, [
    {
      ...madeBy(caller),
      activityId: newId(),
      groupId: headId,
      kind: 'unsplit',
      changeId,
      after: { function: name, splits, moves },
    },
  ]);
  return { change_uid: changeId, undone: splits.length, skipped: 0 };
}

/** The parts are separate groups again, and get the reports that have the function from now on. */
async function redoSplit({ tx, caller, gameId }: Undo, { group_id: headId, after }: ActivityRow): Promise<Undone> {
  const { splits, moves, function: name } = after as { splits: Splits; moves: Moves; function: string };
  const placements = await groupMoves.lockFamilies(tx, gameId, [headId, ...involvedIn(moves)]);
  if (undoable(moves, placements).length < moves.length) return { change_uid: null, undone: 0, skipped: splits.length };
  await setSplit(tx, gameId, splits, name, true);
  await placeBack(tx, gameId, moves);
  const changeId = newId();
  await insertActivity(tx, gameId, [
    {
      ...madeBy(caller),
      activityId: newId(),
      groupId: headId,
      kind: 'split',
      changeId,
      after: { function: name, splits },
    },
  ]);
  return { change_uid: changeId, undone: splits.length, skipped: 0 };
}

/** Whether further reports with the function get into the parts of these groups. */
async function setSplit(tx: Tx, gameId: string, splits: Splits, name: string, isSplit: boolean): Promise<void> {
  for (const [groupId] of splits) {
    const group = await groupMoves.findForSplit(tx, gameId, groupId);
    if (group === undefined) continue;
    const others = group.splitFunctions.filter((each) => each !== name);
    await groupMoves.setSplitFunctions(tx, gameId, groupId, isSplit ? [...others, name] : others);
  }
}
