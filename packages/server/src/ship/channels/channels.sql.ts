// The SQL of channel pointers and moves.
import type { Arch, Os } from '@chauffeur/contract/identity';
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { offered } from '../files/files.ts';
import { enqueuePatches } from '../patches/patches.ts';
import { supersedeByMove } from './rollout-ends.sql.ts';
import { firstSerial, raisedSerial } from './serials.sql.ts';
import { platformKey } from './version-builds.ts';

/** A channel on one platform, which points at one build. */
export type PointerId = { gameId: string; channel: string; os: Os; arch: Arch };

export type MoveRow = {
  game_id: string;
  move_id: string;
  channel: string;
  os: Os;
  arch: Arch;
  action: 'advance' | 'promote' | 'rollback' | 'delete' | 'undo';
  /** The change that the move is a part of. */
  change_uid: string;
  /** The move before; null for the first one, and for moves that version 0.3 made. */
  previous_move_id: string | null;
  build_id: string;
  previous_build_id: string | null;
  back_to: string | null;
  expires_at: Date | null;
  moved_by: string;
  moved_at: Date;
  version: string;
  /** Whether the build was deleted. */
  deleted: boolean;
};

export type PointerRow = MoveRow & {
  build_created_at: Date;
  /** Grows with each change of what the channel offers on the platform. */
  serial: number;
};

type NewMove = PointerId & {
  moveId: string;
  changeUid: string;
  previousMoveId: string | null;
  action: MoveRow['action'];
  buildId: string;
  previousBuildId: string | null;
  backTo: string | null;
  expiresAt: Date | null;
  movedBy: string;
  movedAt: Date;
};

const HISTORY_LENGTH = 200;

const moveColumns = sql.raw(
  `moves.game_id, moves.move_id, moves.channel, moves.os, moves.arch, moves.action, moves.build_id, moves.previous_build_id,
   coalesce(moves.change_uid, moves.move_id) as change_uid, moves.previous_move_id, moves.back_to, moves.expires_at, moves.moved_by, moves.moved_at, builds.version, builds.created_at as build_created_at, builds.deleted`,
);

/** Joins the builds of moves, including deleted ones. */
const named = sql`join build_names as builds on builds.game_id = moves.game_id and builds.build_id = moves.build_id`;

const pointers = sql`select ${moveColumns}, pointers.serial
  from channel_pointers as pointers
  join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
  ${named}`;

/**
 * Serializes the moves of one pointer, including the first one, which has no row to lock. A deletion of a build
 * excludes all moves of its game.
 */
export async function lockPointer(tx: Tx, { gameId, channel, os, arch }: PointerId): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock_shared(hashtextextended(${`channels/${gameId}`}, 0))`);
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${[gameId, channel, os, arch].join('/')}, 0))`);
}

/** Blocks all moves of the game's channels until the transaction ends. */
export async function lockChannels(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`channels/${gameId}`}, 0))`);
}

/** The pointer, even if its build was deleted. */
export function findPointer(db: Db, { gameId, channel, os, arch }: PointerId): Promise<PointerRow | undefined> {
  return row(
    db,
    sql<PointerRow>`${pointers} where pointers.game_id = ${gameId} and pointers.channel = ${channel} and pointers.os = ${os} and pointers.arch = ${arch}`,
  );
}

/** The pointers whose builds exist. A channel whose build was deleted counts as empty. */
export function listPointers(db: Db, gameId: string): Promise<PointerRow[]> {
  return rows(
    db,
    sql<PointerRow>`${pointers} where pointers.game_id = ${gameId} and not builds.deleted order by pointers.channel, pointers.os, pointers.arch`,
  );
}

/** The pointers whose build was deleted; they offer nothing. */
export function listEmptied(db: Db, gameId: string): Promise<PointerRow[]> {
  return rows(
    db,
    sql<PointerRow>`${pointers} where pointers.game_id = ${gameId} and builds.deleted
      order by pointers.channel, pointers.os, pointers.arch`,
  );
}

/** Locks several pointers of a channel, in the order in which all transactions lock them. */
export async function lockPointers(tx: Tx, pointers: readonly PointerId[]): Promise<void> {
  const ordered = pointers.toSorted((a, b) => (platformKey(a) < platformKey(b) ? -1 : 1));
  for (const pointer of ordered) await lockPointer(tx, pointer);
}

/** Records the move, points the channel at it, ends a rollout on the platform, and has patches made. */
export async function insertMove(tx: Tx, move: NewMove): Promise<void> {
  // First, because the rollout's row is locked before any row of a pointer.
  await supersedeByMove(tx, move);
  await changed(
    tx,
    sql`insert into channel_moves (game_id, move_id, change_uid, previous_move_id, channel, os, arch, action, build_id,
        previous_build_id, back_to, expires_at, moved_by, moved_at)
      values (${move.gameId}, ${move.moveId}, ${move.changeUid}, ${move.previousMoveId}, ${move.channel}, ${move.os}, ${move.arch}, ${move.action}, ${move.buildId},
        ${move.previousBuildId}, ${move.backTo}, ${move.expiresAt}, ${move.movedBy}, ${move.movedAt})`,
  );
  await changed(
    tx,
    sql`insert into channel_pointers (game_id, channel, os, arch, move_id, serial)
      values (${move.gameId}, ${move.channel}, ${move.os}, ${move.arch}, ${move.moveId}, ${firstSerial})
      on conflict (game_id, channel, os, arch) do update set move_id = excluded.move_id, serial = ${raisedSerial}`,
  );
  await enqueuePatches(tx, move.gameId);
}

export async function gamesWithPointers(db: Db): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ game_id: string }>`select distinct game_id from channel_pointers order by game_id`,
  );
  return found.map(({ game_id }) => game_id);
}

/** Raises the serials of all channels of a game. Call with a lock on them. */
export async function raiseSerials(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`update channel_pointers set serial = ${raisedSerial} where game_id = ${gameId}`);
}

/** Raises the serials of all games. For a database that nothing else uses. */
export async function raiseAllSerials(db: Db): Promise<void> {
  await changed(db, sql`update channel_pointers set serial = ${raisedSerial}`);
}

/** The target of a rollback from the move `from_id`. */
export type RollbackRow = MoveRow & { from_id: string };

/** Finds the nearest earlier move to another build that still has an offered file, for each move that has one. */
export function findRollbacks(db: Db, gameId: string, moveIds: readonly string[]): Promise<RollbackRow[]> {
  return rows(
    db,
    sql<RollbackRow>`with recursive walk as (
        select game_id, move_id as from_id, build_id as from_build, move_id, back_to, false as fits
        from channel_moves where game_id = ${gameId} and move_id = any(${moveIds}::uuid[])
        union all
        select walk.game_id, from_id, from_build, moves.move_id, moves.back_to, moves.build_id <> from_build and exists (
          select from files where files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered})
        from walk join channel_moves as moves on moves.game_id = walk.game_id and moves.move_id = walk.back_to
        where not fits
      )
      select from_id, ${moveColumns}
      from walk join channel_moves as moves on moves.game_id = walk.game_id and moves.move_id = walk.move_id
      ${named} where fits`,
  );
}

/** The moves of a change. */
export function findChange(db: Db, gameId: string, channel: string, changeUid: string): Promise<MoveRow[]> {
  return rows(
    db,
    sql<MoveRow>`select ${moveColumns} from channel_moves as moves ${named}
      where moves.game_id = ${gameId} and moves.channel = ${channel}
        and coalesce(moves.change_uid, moves.move_id) = ${changeUid}
      order by moves.os, moves.arch`,
  );
}

export function findMoves(db: Db, gameId: string, moveIds: readonly string[]): Promise<MoveRow[]> {
  return rows(
    db,
    sql<MoveRow>`select ${moveColumns} from channel_moves as moves ${named}
      where moves.game_id = ${gameId} and moves.move_id = any(${moveIds}::uuid[])`,
  );
}

/** A move offers its build until it expires, or until the next move on the same platform. */
export async function channelsSince(db: Db, gameId: string, buildId: string, since: Date): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ channel: string }>`select distinct channel from channel_moves as moves
      where game_id = ${gameId} and build_id = ${buildId} and action <> 'delete'
        and (expires_at is null or expires_at > ${since})
        and not exists (
          select from channel_moves as later
          where later.game_id = moves.game_id and later.channel = moves.channel and later.os = moves.os
            and later.arch = moves.arch and (later.moved_at, later.move_id) > (moves.moved_at, moves.move_id)
            and later.moved_at <= ${since})`,
  );
  return found.map(({ channel }) => channel);
}

export function listMoves(db: Db, gameId: string, channel: string): Promise<MoveRow[]> {
  return rows(
    db,
    sql<MoveRow>`select ${moveColumns} from channel_moves as moves
      ${named}
      where moves.game_id = ${gameId} and moves.channel = ${channel}
      order by moves.moved_at desc, moves.move_id desc limit ${HISTORY_LENGTH}`,
  );
}

/** The version that each channel offered before this one; channels without one are left out. */
export function findVersionsBefore(
  db: Db,
  gameId: string,
  current: readonly { readonly channel: string; readonly version: string }[],
): Promise<{ channel: string; version: string }[]> {
  const [names, versions] = [current.map(({ channel }) => channel), current.map(({ version }) => version)];
  return rows(
    db,
    sql<{ channel: string; version: string }>`select current.channel, before.version
      from unnest(${names}::text[], ${versions}::text[]) as current (channel, version) cross join lateral (
        select builds.version from channel_moves as moves
          join builds on builds.game_id = moves.game_id and builds.build_id = moves.build_id
        where moves.game_id = ${gameId} and moves.channel = current.channel and builds.version <> current.version
        order by moves.moved_at desc, moves.move_id desc limit 1
      ) as before`,
  );
}

export type ChangeRow = {
  channel: string;
  action: MoveRow['action'];
  version: string;
  platforms: number;
  at: Date;
  by: string;
  /** How many there are in all. */
  changes: number;
};

/** What was done to channels since a time, newest first. The same action on several platforms is one change. */
export function listChangesSince(db: Db, gameId: string, since: Date, limit: number): Promise<ChangeRow[]> {
  return rows(
    db,
    sql<ChangeRow>`select moves.channel, action, version, count(distinct (moves.os, moves.arch)) as platforms,
        max(moved_at) as at, moved_by as by, count(*) over () as changes
      from channel_moves as moves ${named}
      where moves.game_id = ${gameId} and moved_at >= ${since}::timestamptz
      group by moves.channel, action, version, moved_by
      order by at desc, max(moves.move_id::text) desc limit ${limit}`,
  );
}
