// Channels: the build that each one offers on each platform, with a history.
//
// An upload moves the channel of its build; people promote builds or whole versions, roll channels back, and undo
// changes (channel-history). A change moves one platform or several, all or none.
import { errors } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import { canonicalArch, canonicalOs, type Platform } from '@chauffeur/contract/identity';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/channels';
import type { Caller, Context, GameCaller } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { pageOfWhole } from '../../request/cursor.ts';
import type { Call } from '../../request/perform.ts';
import { handle } from '../../request/route.ts';
import { type Build, buildsOfVersion, findBuild } from '../builds/builds.ts';
import { newestOfferedFile, newestOfferedFiles } from '../files/files.ts';
import { listUpdates } from '../patches/patches.sql.ts';
import { isMember } from './beta.ts';
import * as channels from './channels.sql.ts';
import { auditMove, type Mover, nextTo, pointerIdOf } from './pointers.ts';
import { supersedeByDeletion } from './rollout-ends.sql.ts';
import { pickBuilds, platformKey } from './version-builds.ts';

export type Pointer = channels.PointerRow;
type PointerRecord = OutputOf<typeof contract.promoteBuild>;
export type Change = OutputOf<typeof contract.promoteVersion>;

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
    ...nextTo(current),
    changeUid: newId(),
    action: 'advance',
    buildId: build.build_id,
    backTo: current?.move_id ?? null,
    expiresAt: null,
    movedBy: UPLOADED,
    movedAt: now,
  });
  return true;
}

export function isNewer(build: Build, current: Pointer): boolean {
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
  const build = await requireOfferedBuild(tx, input.gameId, input.build_id);
  const { channels: moved } = await moveTo(tx, [build], input);
  return moved[0]!;
}

/** Points the channel at builds of different platforms, in the order of their platforms. */
export async function moveTo(
  tx: Tx,
  builds: readonly Build[],
  { gameId, channel, expires_in_hours, movedBy, now }: Omit<PromotionInput, 'build_id'>,
): Promise<Change> {
  const changeUid = newId();
  const moved: Pointer[] = [];
  const pointerIds = builds.map(({ os, arch }) => ({ gameId, channel, os, arch }));
  // All of them first: a move ends a rollout, whose row other moves of its platforms wait for.
  await channels.lockPointers(tx, pointerIds);
  for (const { build_id, os, arch, version } of builds) {
    const pointerId = { gameId, channel, os, arch };
    // This is checked again, because only the lock keeps the build from being deleted.
    await requireOfferedBuild(tx, gameId, build_id);
    const current = await channels.findPointer(tx, pointerId);
    await channels.insertMove(tx, {
      ...pointerId,
      ...nextTo(current),
      changeUid,
      action: 'promote',
      buildId: build_id,
      // Promoting the same build again only changes its expiry. A rollback from it must not lead back to the same build.
      backTo: current?.build_id === build_id ? current.back_to : (current?.move_id ?? null),
      expiresAt: expiryOf(now, expires_in_hours),
      movedBy,
      movedAt: now,
    });
    moved.push((await channels.findPointer(tx, pointerId))!);
    auditMove(pointerId, current?.version, version);
  }
  return { change_uid: changeUid, channels: await recordsOf(tx, gameId, moved, now) };
}

export const promoteVersion = handle(contract.promoteVersion, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const by = { gameId: game.game_id, movedBy: caller.user.name, now: ctx.clock.now() };
  return transact(ctx.db, (tx) => promoteVersionWithin(tx, { ...input, ...by }));
});

export const promoteVersionWithKey = handle(contract.promoteVersionWithKey, (ctx, { caller, input }) => {
  const by = { gameId: caller.gameId, movedBy: nameOf(caller), now: ctx.clock.now() };
  return transact(ctx.db, (tx) => promoteVersionWithin(tx, { ...input, ...by }));
});

export type VersionPromotion = Omit<PromotionInput, 'build_id'> & {
  version: string;
  /** All platforms of the version by default. */
  platforms?: readonly PlatformInput[] | undefined;
};

type PlatformInput = { os: string; arch: string };

/**
 * Promotes a version on all platforms or on none, within a transaction. Throws `unknownBuild`, and `notClean` if the
 * build for one of the platforms could not be downloaded, after which the transaction can continue.
 */
export async function promoteVersionWithin(tx: Tx, input: VersionPromotion): Promise<Change> {
  return moveTo(tx, await requireOfferedVersion(tx, input), input);
}

/** The builds that a promotion of the version would offer, in the order of their platforms. Throws like it. */
export async function requireOfferedVersion(
  db: Db,
  {
    gameId,
    channel,
    version: typed,
    platforms,
  }: Pick<VersionPromotion, 'gameId' | 'channel' | 'version' | 'platforms'>,
): Promise<Build[]> {
  const version = typed.trim();
  const builds = await buildsOfVersion(db, gameId, version);
  if (builds.length === 0)
    throw errors.unknownBuild('version: this game has no such version. List the builds and use one of their versions.');
  const offered = await newestOfferedFiles(
    db,
    gameId,
    builds.map(({ build_id }) => build_id),
  );
  const candidates = builds.map((build) => ({ ...build, offered: offered.has(build.build_id) }));
  const wanted = platforms && new Set(platforms.map((platform) => platformKey(canonicalPlatform(platform))));
  const picked = pickBuilds(candidates, channel).filter((build) => wanted?.has(platformKey(build)) ?? true);
  const found = new Set(picked.map(platformKey));
  const missing = platforms?.map(canonicalPlatform).find((platform) => !found.has(platformKey(platform)));
  if (missing !== undefined)
    throw errors.unknownBuild(`platforms: ${version} has no build for ${formatPlatform(missing)}.`);
  const unready = picked.filter((build) => !build.offered).map(formatPlatform);
  if (unready.length > 0)
    throw errors.notClean(
      `version: ${version} has no clean file for ${unready.join(', ')}. Wait for the scan, upload a file, or name the other platforms.`,
    );
  return picked;
}

function canonicalPlatform({ os, arch }: PlatformInput): Platform {
  return { os: canonicalOs(os), arch: canonicalArch(arch) };
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

/** The game's pointers at these builds, including expired ones. */
export async function pointersAt(db: Db, gameId: string, buildIds: readonly string[]): Promise<Pointer[]> {
  const wanted = new Set(buildIds);
  return (await channels.listPointers(db, gameId)).filter(({ build_id }) => wanted.has(build_id));
}

/**
 * Empties every channel that points at one of the builds, within the transaction that deletes them, and blocks moves
 * until it ends. The pointer itself stays, so that only an upload newer than the deleted build advances the channel.
 */
export async function emptyChannels(
  tx: Tx,
  { gameId, buildIds, movedBy, now }: { gameId: string; buildIds: readonly string[]; movedBy: string; now: Date },
): Promise<Pointer[]> {
  await channels.lockChannels(tx, gameId);
  await supersedeByDeletion(tx, { gameId, buildIds, movedBy, now });
  const emptied = await pointersAt(tx, gameId, buildIds);
  const changeUid = newId();
  for (const pointer of emptied) {
    const { channel, os, arch, back_to, build_id: buildId, version } = pointer;
    await channels.insertMove(tx, {
      ...{ gameId, channel, os, arch },
      ...nextTo(pointer),
      changeUid,
      action: 'delete',
      buildId,
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

/** What each channel offers, as a change of it is answered. */
export async function listOffers({ db, clock }: Context, gameId: string): Promise<PointerRecord[]> {
  return recordsOf(db, gameId, await channels.listPointers(db, gameId), clock.now());
}

export const promoteWithKey = handle(contract.promoteWithKey, (ctx, { caller, input }) => {
  const now = ctx.clock.now();
  const move = { ...input, gameId: caller.gameId, movedBy: nameOf(caller), now };
  return transact(ctx.db, (tx) => promoteWithin(tx, move));
});

export const rollbackWithKey = handle(contract.rollbackWithKey, (ctx, { caller, input }) => {
  return rollBackPointers(ctx, caller.gameId, input, nameOf(caller));
});

/** The name of the caller for the history. */
export function nameOf({ user, token, keyRef }: GameCaller): string {
  return user?.name ?? (token === undefined ? `deploy key ${keyRef}` : `upload token ${token.name}`);
}

async function rollBackPointers(
  ctx: Context,
  gameId: string,
  {
    channel,
    os,
    arch,
    platforms,
  }: Pick<Call<typeof contract.rollbackChannel>['input'], 'channel' | 'os' | 'arch' | 'platforms'>,
  movedBy: string,
): Promise<Change> {
  const now = ctx.clock.now();
  const wanted = platforms && new Set(platforms.map((platform) => platformKey(canonicalPlatform(platform))));
  const pointers = (await channels.listPointers(ctx.db, gameId))
    .filter(
      (pointer) =>
        pointer.channel === channel &&
        (os === undefined || pointer.os === canonicalOs(os)) &&
        (arch === undefined || pointer.arch === canonicalArch(arch)) &&
        (wanted?.has(platformKey(pointer)) ?? true),
    )
    .sort((a, b) => (platformKey(a) < platformKey(b) ? -1 : 1));
  if (pointers.length === 0 || pointers.length < (wanted?.size ?? 0))
    throw errors.noEarlierBuild(
      wanted === undefined || pointers.length === 0
        ? 'The channel offers nothing on this platform, so there is nothing to roll back.'
        : 'The channel offers nothing on one of the platforms, so there is nothing to roll back there.',
    );
  // All platforms are rolled back or none, so players never get builds that were not released together.
  return transact(ctx.db, async (tx) => {
    const changeUid = newId();
    const moved: Pointer[] = [];
    await channels.lockPointers(
      tx,
      pointers.map((pointer) => ({ gameId, ...pointerIdOf(pointer) })),
    );
    for (const pointer of pointers)
      moved.push(await rollBackPointer(tx, { gameId, ...pointerIdOf(pointer) }, { changeUid, movedBy, now }));
    return { change_uid: changeUid, channels: await recordsOf(tx, gameId, moved, now) };
  });
}

async function rollBackPointer(
  tx: Tx,
  pointerId: channels.PointerId,
  { changeUid, movedBy, now }: Mover,
): Promise<Pointer> {
  const current = await channels.findPointer(tx, pointerId);
  const [target] = current === undefined ? [] : await channels.findRollbacks(tx, pointerId.gameId, [current.move_id]);
  if (current === undefined || target === undefined) {
    throw errors.noEarlierBuild(
      `There is no earlier build of ${pointerId.channel} on ${pointerId.os} ${pointerId.arch} to roll back to. Promote a build instead, or name the other platforms.`,
    );
  }
  await channels.insertMove(tx, {
    ...pointerId,
    ...nextTo(current),
    changeUid,
    action: 'rollback',
    buildId: target.build_id,
    backTo: target.back_to,
    expiresAt: null,
    movedBy,
    movedAt: now,
  });
  auditMove(pointerId, current.version, target.version);
  return (await channels.findPointer(tx, pointerId))!;
}

type Rollback = Pick<channels.RollbackRow, 'build_id' | 'version'>;

export async function recordsOf(
  db: Db,
  gameId: string,
  pointers: readonly Pointer[],
  now: Date,
): Promise<PointerRecord[]> {
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
    change_uid: pointer.change_uid,
  };
}

/** An expired channel offers nothing on the platform until it is moved again. */
export function isExpired(pointer: Pick<Pointer, 'expires_at'>, now: Date): boolean {
  return pointer.expires_at !== null && pointer.expires_at <= now;
}

type ChannelList = OutputOf<typeof contract.listChannels>;

/** What each channel offers, and where it offers nothing because the build was deleted. */
export async function listPlaces(
  { db, clock }: Context,
  gameId: string,
  page: Omit<InputOf<typeof contract.listChannels>, 'uid'>,
): Promise<Omit<ChannelList, 'withdrawn'>> {
  const [pointers, emptied] = await Promise.all([channels.listPointers(db, gameId), channels.listEmptied(db, gameId)]);
  const { items, ...next } = pageOfWhole(['channels', gameId], pointers, page);
  const [files, rollbacks, updates] = await Promise.all([
    newestOfferedFiles(
      db,
      gameId,
      items.map(({ build_id }) => build_id),
    ),
    rollbacksOf(db, gameId, items),
    listUpdates(db, gameId),
  ]);
  return {
    channels: items.map((pointer) => ({
      ...recordOf(pointer, rollbacks.get(pointer.move_id), clock.now()),
      scan: files.get(pointer.build_id)?.scan_state ?? null,
      rollback_to: rollbacks.get(pointer.move_id) ?? null,
      updates: updates
        .filter(({ file_id }) => file_id === files.get(pointer.build_id)?.file_id)
        .map(({ from_version, bytes }) => ({ from_version, bytes })),
    })),
    ...next,
    emptied: emptied.map(({ channel, os, arch, version, moved_at }) => ({
      ...{ channel, os, arch, version },
      emptied_at: moved_at.toISOString(),
    })),
  };
}

/** The pointers of all channels and platforms that have not expired. */
export async function currentPointers(db: Db, gameId: string, now: Date): Promise<Pointer[]> {
  return (await channels.listPointers(db, gameId)).filter((pointer) => !isExpired(pointer, now));
}

/** Whether the caller joined the game's beta. */
export async function isBetaMember(db: Db, gameId: string, caller: Caller): Promise<boolean> {
  return caller.kind === 'account' && isMember(db, gameId, caller.user.id);
}
