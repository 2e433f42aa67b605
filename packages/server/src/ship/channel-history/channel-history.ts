// The history of a channel, and undoing a change in it.
//
// A change moves one platform or several, all or none, and each of its moves remembers the move before it. Undoing a
// change restores what these moves made the channel offer. That is possible until the channel moves again on one of the
// platforms.
import { errors } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import * as contract from '@chauffeur/contract/operations/channels';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import * as channels from '../channels/channels.sql.ts';
import { type Change, isExpired, type Pointer, recordsOf } from '../channels/channels.ts';
import { auditMove, type Mover, nextTo, pointerIdOf } from '../channels/pointers.ts';
import { platformKey } from '../channels/version-builds.ts';
import { newestOfferedFile } from '../files/files.ts';

export const listChannelMoves = handle(contract.listChannelMoves, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const moves = await channels.listMoves(ctx.db, game.game_id, input.channel);
  return {
    moves: moves.map((move) => ({
      at: move.moved_at.toISOString(),
      change_uid: move.change_uid,
      action: move.action,
      channel: move.channel,
      os: move.os,
      arch: move.arch,
      build_id: move.build_id,
      version: move.version,
      previous_build_id: move.previous_build_id,
      expires_at: move.expires_at?.toISOString() ?? null,
      by: move.moved_by,
      deleted: move.deleted,
    })),
  };
});

export const undoChannelChange = handle(contract.undoChannelChange, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const undoing = { ...input, gameId: game.game_id, movedBy: caller.user.name, now: ctx.clock.now() };
  return transact(ctx.db, (tx) => undoWithin(tx, undoing));
});

export type ChangeRef = { readonly gameId: string; readonly channel: string; readonly change_uid: string };

/** Undoes a change on all its platforms. Throws `notFound`, `channelMoved` and `noEarlierBuild`. */
export async function undoWithin(
  tx: Tx,
  { movedBy, now, ...ref }: ChangeRef & { movedBy: string; now: Date },
): Promise<Change> {
  const changeUid = newId();
  const moved: Pointer[] = [];
  const moves = await movesOf(tx, ref);
  await channels.lockPointers(
    tx,
    moves.map((move) => ({ gameId: ref.gameId, ...pointerIdOf(move) })),
  );
  for (const move of moves) moved.push(await undoMove(tx, move, { changeUid, movedBy, now }));
  return { change_uid: changeUid, channels: await recordsOf(tx, ref.gameId, moved, now) };
}

/** What a channel offers on a platform, and what it would offer once a change is undone; null for nothing. */
export type Undo = { readonly move: channels.MoveRow; readonly before: channels.MoveRow | null };

/** What undoing the change would do now, by platform. Throws what `undoWithin` throws. */
export async function previewUndo(db: Db, ref: ChangeRef, now: Date): Promise<Undo[]> {
  const undone: Undo[] = [];
  for (const move of await movesOf(db, ref)) {
    requireNewest(move, await channels.findPointer(db, { gameId: ref.gameId, ...pointerIdOf(move) }));
    undone.push({ move, before: await moveBefore(db, move, now) });
  }
  return undone;
}

/** The moves of a change, in the order in which their platforms are locked. */
async function movesOf(db: Db, { gameId, channel, change_uid }: ChangeRef): Promise<channels.MoveRow[]> {
  const moves = await channels.findChange(db, gameId, channel, change_uid.toLowerCase());
  if (moves.length === 0) throw errors.notFound('change_uid: the channel has no such change.');
  return moves.sort((a, b) => (platformKey(a) < platformKey(b) ? -1 : 1));
}

function requireNewest(move: channels.MoveRow, current: Pointer | undefined): asserts current is Pointer {
  if (current?.move_id !== move.move_id)
    throw errors.channelMoved(
      `${move.channel} has moved again on ${formatPlatform(move)} since this change. Nothing was undone.`,
    );
}

async function undoMove(tx: Tx, move: channels.MoveRow, { changeUid, movedBy, now }: Mover): Promise<Pointer> {
  const gameId = move.game_id;
  const pointerId = { gameId, ...pointerIdOf(move) };
  const current = await channels.findPointer(tx, pointerId);
  requireNewest(move, current);
  const before = await moveBefore(tx, move, now);
  await channels.insertMove(tx, {
    ...pointerId,
    ...nextTo(current),
    changeUid,
    action: 'undo',
    // Before its first move, the channel offered nothing, as it does after an expiry.
    buildId: before?.build_id ?? move.build_id,
    backTo: before?.back_to ?? null,
    expiresAt: before === null ? now : before.expires_at,
    movedBy,
    movedAt: now,
  });
  auditMove(pointerId, current.version, before?.version ?? null);
  return (await channels.findPointer(tx, pointerId))!;
}

/** The move before this one, whose build the channel can offer again; null if this was the first. */
async function moveBefore(db: Db, move: channels.MoveRow, now: Date): Promise<channels.MoveRow | null> {
  const { game_id: gameId, previous_move_id: previousId, previous_build_id: previousBuild } = move;
  const place = `${move.channel} on ${formatPlatform(move)}`;
  if (previousId === null && previousBuild === null) return null;
  const [before] = previousId === null ? [] : await channels.findMoves(db, gameId, [previousId]);
  if (before === undefined)
    throw errors.noEarlierBuild(`This change of ${place} was made before changes could be undone. Roll back instead.`);
  if (before.action === 'delete' || isExpired(before, now)) return before;
  if (before.deleted)
    throw errors.noEarlierBuild(`The build that ${place} offered before was deleted. Promote another one.`);
  if ((await newestOfferedFile(db, gameId, before.build_id)) === null)
    throw errors.noEarlierBuild(
      `The build that ${place} offered before has no clean file anymore. Promote another one.`,
    );
  return before;
}
