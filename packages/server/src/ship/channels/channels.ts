// Channels: the build that each one offers on each platform, moved by uploads, promotions and rollbacks, with a
// history.
import { errors } from '@chauffeur/contract/errors';
import { type Arch, canonicalArch, canonicalOs, type Os } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/channels';
import type { Caller, Context, GameCaller } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { pageOfWhole } from '../../request/cursor.ts';
import type { Call } from '../../request/perform.ts';
import { handle } from '../../request/route.ts';
import { type Build, findBuild } from '../builds/builds.ts';
import { newestOfferedFile, newestOfferedFiles } from '../files/files.ts';
import { isMember } from './beta.ts';
import * as channels from './channels.sql.ts';

export type Pointer = channels.PointerRow;
type PointerRecord = OutputOf<typeof contract.promoteBuild>;

const UPLOADED = 'upload';

/**
 * Moves the channel of a build to it if the build was registered later than the current one (spec: Channels). Part of
 * the transaction that ends a scan. Returns whether the pointer moved.
 */
export async function advanceChannel(tx: Tx, now: Date, build: Build): Promise<boolean> {
  const pointerId = { gameId: build.game_id, channel: build.channel, os: build.os, arch: build.arch };
  await channels.lockPointer(tx, pointerId);
  const current = await channels.findPointer(tx, pointerId);
  if (current !== undefined && !isNewer(build, current)) return false;
  await channels.insertMove(tx, {
    ...pointerId,
    moveId: newId(),
    action: 'advance',
    buildId: build.build_id,
    previousBuildId: current?.build_id ?? null,
    backTo: current?.move_id ?? null,
    expiresAt: null,
    movedBy: UPLOADED,
    movedAt: now,
  });
  return true;
}

function isNewer(build: Build, current: Pointer): boolean {
  const difference = build.created_at.getTime() - current.build_created_at.getTime();
  return difference === 0 ? build.build_id > current.build_id : difference > 0;
}

export const promoteBuild = handle(contract.promoteBuild, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const now = ctx.clock.now();
  return transact(ctx.db, (tx) =>
    promoteWithin(tx, { ...input, gameId: game.game_id, movedBy: caller.user.name, now }),
  );
});

export type PromotionInput = {
  gameId: string;
  channel: string;
  build_id: string;
  expires_in_hours?: number | undefined;
  /** The name in the history. */
  movedBy: string;
  now: Date;
};

/** Promotes within a transaction. Throws `unknownBuild` and `notClean`, after which the transaction can continue. */
export async function promoteWithin(tx: Tx, input: PromotionInput): Promise<PointerRecord> {
  const { gameId, channel, movedBy, now } = input;
  const build = await requireOfferedBuild(tx, gameId, input.build_id);
  const pointerId = { gameId, channel, os: build.os, arch: build.arch };
  await channels.lockPointer(tx, pointerId);
  // This is checked again, because only the lock keeps the build from being deleted.
  await requireOfferedBuild(tx, gameId, build.build_id);
  const current = await channels.findPointer(tx, pointerId);
  await channels.insertMove(tx, {
    ...pointerId,
    moveId: newId(),
    action: 'promote',
    buildId: build.build_id,
    previousBuildId: current?.build_id ?? null,
    // Promoting the same build again only changes its expiry. A rollback from it must not lead back to the same build.
    backTo: current?.build_id === build.build_id ? current.back_to : (current?.move_id ?? null),
    expiresAt: expiryOf(now, input.expires_in_hours),
    movedBy,
    movedAt: now,
  });
  const [moved] = await recordsOf(tx, gameId, [(await channels.findPointer(tx, pointerId))!], now);
  auditMove(pointerId, current?.version, build.version);
  return moved!;
}

/** Returns the game's build, which must have an offered file. Throws `unknownBuild` and `notClean`. */
export async function requireOfferedBuild(db: Db, gameId: string, buildId: string): Promise<Build> {
  const build = await findBuild(db, gameId, buildId);
  if (build === null)
    throw errors.unknownBuild('build_id: this game has no such build. List the builds and use one of their ids.');
  if ((await newestOfferedFile(db, gameId, build.build_id)) === null)
    throw errors.notClean('build_id: this build has no clean file. Wait for its scan or upload one.');
  return build;
}

/** The game's pointers at one build, including expired ones. */
export async function pointersAt(db: Db, gameId: string, buildId: string): Promise<Pointer[]> {
  return (await channels.listPointers(db, gameId)).filter(({ build_id }) => build_id === buildId);
}

/**
 * Empties every channel that points at the build, within the transaction that deletes it, and blocks moves until it
 * ends. The pointer itself stays, so that only an upload newer than the deleted build advances the channel.
 */
export async function emptyChannels(
  tx: Tx,
  { gameId, buildId, movedBy, now }: { gameId: string; buildId: string; movedBy: string; now: Date },
): Promise<Pointer[]> {
  await channels.lockChannels(tx, gameId);
  const emptied = await pointersAt(tx, gameId, buildId);
  for (const { channel, os, arch, back_to, version } of emptied) {
    await channels.insertMove(tx, {
      ...{ gameId, channel, os, arch },
      moveId: newId(),
      action: 'delete',
      buildId,
      previousBuildId: buildId,
      backTo: back_to,
      expiresAt: null,
      movedBy,
      movedAt: now,
    });
    auditMove({ gameId, channel, os, arch }, version, null);
  }
  return emptied;
}

/** 0 means no expiry. */
function expiryOf(now: Date, hours = 0): Date | null {
  return hours === 0 ? null : new Date(now.getTime() + hours * HOUR);
}

export const rollbackChannel = handle(contract.rollbackChannel, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return rollBackPointers(ctx, game.game_id, input, caller.user.name);
});

export const listToolChannels = handle(contract.listToolChannels, async (ctx, { caller: { gameId } }) => {
  const pointers = await channels.listPointers(ctx.db, gameId);
  return { channels: await recordsOf(ctx.db, gameId, pointers, ctx.clock.now()) };
});

export const promoteWithKey = handle(contract.promoteWithKey, (ctx, { caller, input }) => {
  const now = ctx.clock.now();
  const move = { ...input, gameId: caller.gameId, movedBy: nameOf(caller), now };
  return transact(ctx.db, (tx) => promoteWithin(tx, move));
});

export const rollbackWithKey = handle(contract.rollbackWithKey, (ctx, { caller, input }) => {
  return rollBackPointers(ctx, caller.gameId, input, nameOf(caller));
});

/** The name of the caller for the history. */
function nameOf({ user, token, keyRef }: GameCaller): string {
  return user?.name ?? (token === undefined ? `deploy key ${keyRef}` : `upload token ${token.name}`);
}

async function rollBackPointers(
  ctx: Context,
  gameId: string,
  input: Pick<Call<typeof contract.rollbackChannel>['input'], 'channel' | 'os' | 'arch'>,
  movedBy: string,
) {
  const now = ctx.clock.now();
  const platform = {
    os: input.os === undefined ? undefined : canonicalOs(input.os),
    arch: input.arch === undefined ? undefined : canonicalArch(input.arch),
  };
  const pointers = (await channels.listPointers(ctx.db, gameId)).filter((pointer) =>
    fits(pointer, input.channel, platform),
  );
  if (pointers.length === 0)
    throw errors.noEarlierBuild('The channel offers nothing on this platform, so there is nothing to roll back.');
  // All platforms are rolled back or none, so players never get builds that were not released together.
  await transact(ctx.db, async (tx) => {
    for (const { channel, os, arch } of pointers) {
      await rollBackPointer(tx, { gameId, channel, os, arch }, movedBy, now);
    }
  });
  const moved = (await channels.listPointers(ctx.db, gameId)).filter((pointer) =>
    fits(pointer, input.channel, platform),
  );
  return { channels: await recordsOf(ctx.db, gameId, moved, now) };
}

function fits(pointer: Pointer, channel: string, platform: { os: Os | undefined; arch: Arch | undefined }): boolean {
  const { os = pointer.os, arch = pointer.arch } = platform;
  return pointer.channel === channel && pointer.os === os && pointer.arch === arch;
}

/** Adds the move to the audit log. */
function auditMove({ channel, os, arch }: channels.PointerId, before: string | undefined, after: string | null): void {
  auditChange(`${channel} ${os} ${arch}`, before ?? null, after);
}

async function rollBackPointer(tx: Tx, pointerId: channels.PointerId, movedBy: string, now: Date): Promise<void> {
  await channels.lockPointer(tx, pointerId);
  const current = await channels.findPointer(tx, pointerId);
  const [target] = current === undefined ? [] : await channels.findRollbacks(tx, pointerId.gameId, [current.move_id]);
  if (current === undefined || target === undefined) {
    throw errors.noEarlierBuild(
      `There is no earlier build of ${pointerId.channel} on ${pointerId.os} ${pointerId.arch} to roll back to. Promote a build instead.`,
    );
  }
  await channels.insertMove(tx, {
    ...pointerId,
    moveId: newId(),
    action: 'rollback',
    buildId: target.build_id,
    previousBuildId: current.build_id,
    backTo: target.back_to,
    expiresAt: null,
    movedBy,
    movedAt: now,
  });
  auditMove(pointerId, current.version, target.version);
}

type Rollback = Pick<channels.RollbackRow, 'build_id' | 'version'>;

async function recordsOf(db: Db, gameId: string, pointers: readonly Pointer[], now: Date): Promise<PointerRecord[]> {
  const rollbacks = await rollbacksOf(db, gameId, pointers);
  return pointers.map((pointer) => recordOf(pointer, rollbacks.get(pointer.move_id), now));
}

/** The rollback targets of the pointers, keyed by their move ids. Pointers without a target are left out. */
async function rollbacksOf(db: Db, gameId: string, pointers: readonly Pointer[]): Promise<Map<string, Rollback>> {
  const moveIds = pointers.map(({ move_id }) => move_id);
  const rollbacks = await channels.findRollbacks(db, gameId, moveIds);
  return new Map(rollbacks.map(({ from_id, build_id, version }) => [from_id, { build_id, version }]));
}

function recordOf(pointer: Pointer, rollback: Rollback | undefined, now: Date): PointerRecord {
  return {
    channel: pointer.channel,
    os: pointer.os,
    arch: pointer.arch,
    build_id: pointer.build_id,
    version: pointer.version,
    expires_at: pointer.expires_at?.toISOString() ?? null,
    expired: isExpired(pointer, now),
    previous_build_id: rollback?.build_id ?? null,
    moved_at: pointer.moved_at.toISOString(),
  };
}

/** An expired channel offers nothing on the platform until it is moved again. */
export function isExpired(pointer: Pointer, now: Date): boolean {
  return pointer.expires_at !== null && pointer.expires_at <= now;
}

export const listChannels = handle(contract.listChannels, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const now = ctx.clock.now();
  const [pointers, emptied] = await Promise.all([
    channels.listPointers(ctx.db, game.game_id),
    channels.listEmptied(ctx.db, game.game_id),
  ]);
  const { items, ...next } = pageOfWhole(['channels', game.game_id], pointers, input);
  const [files, rollbacks] = await Promise.all([
    newestOfferedFiles(
      ctx.db,
      game.game_id,
      items.map(({ build_id }) => build_id),
    ),
    rollbacksOf(ctx.db, game.game_id, items),
  ]);
  return {
    channels: items.map((pointer) => ({
      ...recordOf(pointer, rollbacks.get(pointer.move_id), now),
      scan: files.get(pointer.build_id)?.scan_state ?? null,
      rollback_to: rollbacks.get(pointer.move_id) ?? null,
    })),
    ...next,
    emptied: emptied.map(({ channel, os, arch, version, moved_at }) => ({
      ...{ channel, os, arch, version },
      emptied_at: moved_at.toISOString(),
    })),
  };
});

/** The pointers of all channels and platforms that have not expired. */
export async function currentPointers(db: Db, gameId: string, now: Date): Promise<Pointer[]> {
  return (await channels.listPointers(db, gameId)).filter((pointer) => !isExpired(pointer, now));
}

export const listChannelMoves = handle(contract.listChannelMoves, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const moves = await channels.listMoves(ctx.db, game.game_id, input.channel);
  return {
    moves: moves.map((move) => ({
      at: move.moved_at.toISOString(),
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

/** Whether the caller joined the game's beta. */
export async function isBetaMember(db: Db, gameId: string, caller: Caller): Promise<boolean> {
  return caller.kind === 'account' && isMember(db, gameId, caller.user.id);
}
