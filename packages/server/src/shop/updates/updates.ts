// Updates: which build an installed game should run. Its channel offers one, and for devices within the share of a
// rollout, the rollout does.
import { errors } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/rollouts';
import type { Context } from '../../context.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import { type Db, readSnapshot } from '../../kernel/database/db.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { type Build, findBuild } from '../../ship/builds/builds.ts';
import { findPointer } from '../../ship/channels/channels.sql.ts';
import { isExpired, type Pointer } from '../../ship/channels/channels.ts';
import { findManifest } from '../../ship/files/files.sql.ts';
import { newestOfferedFile, type OfferedFile } from '../../ship/files/files.ts';
import { findSizes } from '../../ship/patches/patches.sql.ts';
import { isWithin, placeOf } from '../../ship/rollout-places/rollout-places.ts';
import { findOffer } from '../../ship/rollouts/rollouts.sql.ts';
import { findWithdrawal } from '../../ship/withdrawals/withdrawals.sql.ts';
import { isReachable, requireVisibleGame } from '../store/store.ts';
import { signStatement } from './statement.ts';
import * as sql from './updates.sql.ts';

type Update = OutputOf<typeof contract.getUpdate>;
type Place = { gameId: string; channel: string; os: sql.InstalledRow['os']; arch: sql.InstalledRow['arch'] };
type Installed = sql.InstalledRow;
type OfferedBuild = { readonly build: Build; readonly file: OfferedFile; readonly source: 'channel' | 'rollout' };
/** Has the serial of the place, and the SHA-256 of the manifest of the file, or null. */
type Offered = OfferedBuild & { readonly serial: number; readonly manifest: string | null };

const STRANGER = { isMember: false, isBetaPlayer: false };

/** How long caches may keep an answer that is the same for everyone. */
const CACHE_SECONDS = MINUTE / SECOND;

export const getUpdate = stream(contract.getUpdate, async (ctx, { caller, input, reply }) => {
  const { game, viewer } = await requireVisibleGame(ctx, caller, input.uid);
  const installed = input.build_id === undefined ? null : await requireInstalled(ctx.db, game.game_id, input.build_id);
  const os = input.os === undefined ? installed?.os : canonicalOs(input.os);
  const arch = input.arch === undefined ? installed?.arch : canonicalArch(input.arch);
  if (os === undefined || arch === undefined)
    throw errors.invalid('build_id: send the installed build, or os and arch to install the game.');
  const place: Place = { gameId: game.game_id, channel: input.channel ?? 'stable', os, arch };
  // A device's answer differs from that of others, and so does that of people who may see more.
  const isShared =
    input.device_uid === undefined && game.visibility === 'public' && isReachable(place.channel, STRANGER);
  reply.header('cache-control', isShared ? `public, max-age=${CACHE_SECONDS}` : 'private, no-cache');
  reply.header('vary', 'Authorization, Cookie, X-Access-Token');
  const canReach = isReachable(place.channel, viewer);
  const offered = canReach ? await findOffered(ctx, place, installed, input.device_uid) : null;
  return answer(200, await updateOf(ctx, place, installed, offered));
});

async function requireInstalled(db: Db, gameId: string, buildId: string): Promise<Installed> {
  const installed = await sql.findInstalled(db, gameId, buildId);
  if (installed !== undefined) return installed;
  throw errors.unknownBuild('build_id: this game has no such build. Send the build_id that was built into the game.');
}

async function updateOf(
  ctx: Context,
  place: Place,
  installed: Installed | null,
  offered: Offered | null,
): Promise<Update> {
  const withdrawn = installed === null ? null : await withdrawalOf(ctx, place, installed, offered);
  const isOther = offered !== null && offered.build.build_id !== installed?.build_id;
  return {
    game_uid: place.gameId,
    channel: place.channel,
    os: place.os,
    arch: place.arch,
    running: installed && { build_id: installed.build_id, version: installed.version },
    withdrawn,
    update: isOther && (installed === null || withdrawn !== null || isAfter(offered.build, installed)),
    offered: offered === null ? null : await offerOf(ctx, place, installed, offered),
    changelog: isOther ? await changesSince(ctx.db, place, installed, offered.build) : [],
  };
}

function isAfter(build: Build, installed: Installed): boolean {
  const difference = build.created_at.getTime() - installed.created_at.getTime();
  return difference === 0 ? build.build_id > installed.build_id : difference > 0;
}

/**
 * The build for a device, or without one, that of the channel. Null if there is nothing to download. All of it is read
 * from one state of the database, so that the serial belongs to what is offered.
 */
function findOffered(
  { db, clock }: Context,
  place: Place,
  installed: Installed | null,
  deviceUid: string | undefined,
): Promise<Offered | null> {
  return readSnapshot(db, async (tx) => {
    const pointer = await findPointer(tx, place);
    if (pointer === undefined || pointer.deleted || isExpired(pointer, clock.now())) return null;
    const offered = await findOfferedBuild(tx, place, pointer, installed, deviceUid);
    if (offered === null) return null;
    const manifest = await findManifest(tx, offered.file);
    return { ...offered, serial: pointer.serial, manifest: manifest?.sha256 ?? null };
  });
}

async function findOfferedBuild(
  db: Db,
  place: Place,
  pointer: Pointer,
  installed: Installed | null,
  deviceUid: string | undefined,
): Promise<OfferedBuild | null> {
  const rollout = deviceUid === undefined ? undefined : await findOffer(db, place.gameId, place);
  if (deviceUid !== undefined && rollout?.base_move_id === pointer.move_id) {
    const isPaused = rollout.state === 'paused' && installed?.build_id !== rollout.build_id;
    const gets = isWithin(placeOf(rollout.rollout_id, deviceUid), rollout.share) && !isPaused;
    const offered = gets ? await offeredBuild(db, place.gameId, rollout.build_id, 'rollout') : null;
    if (offered !== null) return offered;
  }
  return offeredBuild(db, place.gameId, pointer.build_id, 'channel');
}

async function offeredBuild(
  db: Db,
  gameId: string,
  buildId: string,
  source: Offered['source'],
): Promise<OfferedBuild | null> {
  const build = await findBuild(db, gameId, buildId);
  const file = await newestOfferedFile(db, gameId, buildId);
  return build === null || file === null ? null : { build, file, source };
}

async function withdrawalOf(
  { db, clock }: Context,
  { gameId, channel }: Place,
  { build_id: buildId, deleted_at: deletedAt }: Installed,
  offered: Offered | null,
): Promise<Update['withdrawn']> {
  if (deletedAt !== null) return { reason: 'deleted', at: deletedAt.toISOString() };
  if (offered?.build.build_id === buildId) return null;
  const withdrawal = await findWithdrawal(db, { gameId, channel, buildId, now: clock.now() });
  return withdrawal === undefined ? null : { reason: withdrawal.reason, at: withdrawal.at.toISOString() };
}

type Offer = NonNullable<Update['offered']>;

async function sizesOf(db: Db, installed: Installed | null, { file }: Offered): Promise<Offer['sizes']> {
  const { game_id: gameId, file_id: fileId, size } = file;
  const sizes = installed && (await findSizes(db, { gameId, fileId, fromBuildId: installed.build_id }));
  return { patch: sizes?.patch ?? null, blocks: sizes?.blocks ?? null, whole: size };
}

async function offerOf(ctx: Context, place: Place, installed: Installed | null, offered: Offered): Promise<Offer> {
  const { build, file, source, serial, manifest } = offered;
  const { gameId: game, channel, os, arch } = place;
  const stated = {
    ...{ game, channel, os, arch, build: build.build_id, file: file.file_id },
    ...{ size: file.size, zip: file.checksum, manifest, serial },
  };
  return {
    build_id: build.build_id,
    version: build.version,
    title: build.title,
    registered_at: build.created_at.toISOString(),
    source,
    file_uid: file.file_id,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    download_url: `${ctx.publicUrl}/api/v1/public/games/${file.game_id}/files/${file.file_id}/download`,
    sizes: await sizesOf(ctx.db, installed, offered),
    ...(await signStatement(ctx, stated)),
  };
}

/** The changes by version. A version is listed once, although it can have several builds for a platform. */
async function changesSince(
  db: Db,
  place: Place,
  installed: Installed | null,
  offered: Build,
): Promise<Update['changelog']> {
  if (installed === null)
    return [{ version: offered.version, title: offered.title, changelog_items: offered.changelog }];
  const ids = { installedId: installed.build_id, offeredId: offered.build_id };
  const found = await sql.listChanges(db, place, ids, LIMITS.updateChangelogs);
  const versions = Map.groupBy(found, ({ version }) => version);
  return [...versions].map(([version, [newest]]) => ({
    version,
    title: newest!.title,
    changelog_items: newest!.changelog,
  }));
}
