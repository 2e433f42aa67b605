// Updates: which build an installed game should run. Its channel offers one, and for devices within the share of a
// rollout, the rollout does.
import { errors } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/rollouts';
import type { Context } from '../../context.ts';
import { MINUTE, SECOND } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/database/db.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { type Build, findBuild } from '../../ship/builds/builds.ts';
import { findPointer } from '../../ship/channels/channels.sql.ts';
import { isExpired } from '../../ship/channels/channels.ts';
import { newestOfferedFile, type OfferedFile } from '../../ship/files/files.ts';
import { findSizes } from '../../ship/patches/patches.sql.ts';
import { isWithin, placeOf } from '../../ship/rollout-places/rollout-places.ts';
import { abortedAt, findOffer } from '../../ship/rollouts/rollouts.sql.ts';
import { isReachable, requireVisibleGame } from '../store/store.ts';
import * as sql from './updates.sql.ts';

type Update = OutputOf<typeof contract.getUpdate>;
type Place = { gameId: string; channel: string; os: sql.InstalledRow['os']; arch: sql.InstalledRow['arch'] };
type Installed = sql.InstalledRow;
type Offered = { readonly build: Build; readonly file: OfferedFile; readonly source: 'channel' | 'rollout' };

/** How long caches may keep an answer that is the same for everyone. */
const CACHE_SECONDS = MINUTE / SECOND;

export const getUpdate = stream(contract.getUpdate, async (ctx, { caller, input, reply }) => {
  const { game, viewer } = await requireVisibleGame(ctx, caller, input.uid);
  const installed = await sql.findInstalled(ctx.db, game.game_id, input.build_id);
  if (installed === undefined)
    throw errors.unknownBuild('build_id: this game has no such build. Send the build_id that was built into the game.');
  const place: Place = {
    gameId: game.game_id,
    channel: input.channel ?? 'stable',
    os: input.os === undefined ? installed.os : canonicalOs(input.os),
    arch: input.arch === undefined ? installed.arch : canonicalArch(input.arch),
  };
  // A device's answer differs from that of others, and so does that of people who may see more.
  const isShared =
    input.device_uid === undefined && game.visibility === 'public' && isReachable(place.channel, STRANGER);
  reply.header('cache-control', isShared ? `public, max-age=${CACHE_SECONDS}` : 'private, no-cache');
  reply.header('vary', 'Authorization, Cookie, X-Access-Token');
  const canReach = isReachable(place.channel, viewer);
  const offered = canReach ? await findOffered(ctx, place, installed, input.device_uid) : null;
  return answer(200, await updateOf(ctx, place, installed, offered));
});

const STRANGER = { isMember: false, isBetaPlayer: false };

async function updateOf(ctx: Context, place: Place, installed: Installed, offered: Offered | null): Promise<Update> {
  const withdrawn = await withdrawalOf(ctx.db, place, installed, offered);
  const isOther = offered !== null && offered.build.build_id !== installed.build_id;
  return {
    game_uid: place.gameId,
    channel: place.channel,
    os: place.os,
    arch: place.arch,
    running: { build_id: installed.build_id, version: installed.version },
    withdrawn,
    update: isOther && (withdrawn !== null || isAfter(offered.build, installed)),
    offered: offered === null ? null : { ...offerOf(ctx, offered), sizes: await sizesOf(ctx.db, installed, offered) },
    changelog: isOther ? await changesSince(ctx.db, place, installed, offered.build) : [],
  };
}

function isAfter(build: Build, installed: Installed): boolean {
  const difference = build.created_at.getTime() - installed.created_at.getTime();
  return difference === 0 ? build.build_id > installed.build_id : difference > 0;
}

/** The build for a device, or without one, that of the channel. Null if there is nothing to download. */
async function findOffered(
  { db, clock }: Context,
  place: Place,
  installed: Installed,
  deviceUid: string | undefined,
): Promise<Offered | null> {
  const pointer = await findPointer(db, place);
  if (pointer === undefined || pointer.deleted || isExpired(pointer, clock.now())) return null;
  const rollout = deviceUid === undefined ? undefined : await findOffer(db, place.gameId, place);
  if (deviceUid !== undefined && rollout?.base_move_id === pointer.move_id) {
    const isPaused = rollout.state === 'paused' && installed.build_id !== rollout.build_id;
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
): Promise<Offered | null> {
  const [build, file] = await Promise.all([findBuild(db, gameId, buildId), newestOfferedFile(db, gameId, buildId)]);
  return build === null || file === null ? null : { build, file, source };
}

async function withdrawalOf(
  db: Db,
  place: Place,
  { build_id: buildId, deleted_at: deletedAt }: Installed,
  offered: Offered | null,
): Promise<Update['withdrawn']> {
  if (deletedAt !== null) return { reason: 'deleted', at: deletedAt.toISOString() };
  if (offered?.build.build_id === buildId) return null;
  const [aborted, rolledBack] = await Promise.all([
    abortedAt(db, place.gameId, place.channel, buildId),
    sql.rolledBackAt(db, place, buildId),
  ]);
  if (aborted !== null) return { reason: 'rollout_aborted', at: aborted.toISOString() };
  return rolledBack === null ? null : { reason: 'rolled_back', at: rolledBack.toISOString() };
}

type Offer = NonNullable<Update['offered']>;

async function sizesOf(db: Db, installed: Installed, { file }: Offered): Promise<Offer['sizes']> {
  const { game_id: gameId, file_id: fileId, size } = file;
  const sizes = await findSizes(db, { gameId, fileId, fromBuildId: installed.build_id });
  return { patch: sizes?.patch ?? null, blocks: sizes?.blocks ?? null, whole: size };
}

function offerOf({ publicUrl }: Context, { build, file, source }: Offered): Omit<Offer, 'sizes'> {
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
    download_url: `${publicUrl}/api/v1/public/games/${file.game_id}/files/${file.file_id}/download`,
  };
}

/** The changes by version. A version is listed once, although it can have several builds for a platform. */
async function changesSince(db: Db, place: Place, installed: Installed, offered: Build): Promise<Update['changelog']> {
  const ids = { installedId: installed.build_id, offeredId: offered.build_id };
  const found = await sql.listChanges(db, place, ids, LIMITS.updateChangelogs);
  const versions = Map.groupBy(found, ({ version }) => version);
  return [...versions].map(([version, [newest]]) => ({
    version,
    title: newest!.title,
    changelog_items: newest!.changelog,
  }));
}
