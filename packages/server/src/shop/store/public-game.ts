// The page of a game: its channels, and the downloads that the caller may see.
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/store';
import { publicHealthOf } from '../../analytics/health/health.ts';
import type { Context } from '../../context.ts';
import { type Game, readGameAndOwner } from '../../people/game-access/game-access.ts';
import { findDraft } from '../../people/games/games.sql.ts';
import { readFacts, readTexts } from '../../people/games/games.ts';
import { handle } from '../../request/route.ts';
import { type Build, findBuilds } from '../../ship/builds/builds.ts';
import { currentPointers, type Pointer } from '../../ship/channels/channels.ts';
import { fileSummaryOf, newestOfferedFiles, type OfferedFile } from '../../ship/files/files.ts';
import { publicImages } from '../../ship/media/media.ts';
import { publicVideos } from '../../ship/videos/videos.ts';
import { acceptsGuests } from '../bugs/bugs.sql.ts';
import { isListed, requireVisibleGame, type Viewer } from './store.ts';

type PublicGame = OutputOf<typeof contract.getPublicGame>;
type Offer = PublicGame['downloads'][number];

export const getPublicGame = handle(contract.getPublicGame, async (ctx, { caller, input }) => {
  const { game, role, viewer } = await requireVisibleGame(ctx, caller, input.uid);
  const pointers = await currentPointers(ctx.db, game.game_id, ctx.clock.now());
  const visible = pointers.filter((pointer) => isListed(pointer.channel, viewer, input.channel));
  const isPreview = input.preview !== undefined && role !== null;
  const [offers, owner, texts, facts, images, videos, health, guestBugs, draft] = await Promise.all([
    offersOf(ctx, game, visible),
    readGameAndOwner(ctx, game.game_id),
    readTexts(ctx, game.game_id),
    readFacts(ctx.db, game.game_id),
    publicImages(ctx, game.game_id),
    publicVideos(ctx, game.game_id),
    publicHealthOf(ctx, [game.game_id]),
    acceptsGuests(ctx.db, game.game_id),
    isPreview ? findDraft(ctx.db, game.game_id) : undefined,
  ]);
  return {
    game_uid: game.game_id,
    slug: game.slug,
    name: game.name,
    developer: owner.owner_name,
    developer_handle: owner.owner_handle,
    ...texts,
    ...facts,
    ...draft?.listing,
    visibility: game.visibility,
    published_at: game.published_at?.toISOString() ?? null,
    ...health.get(game.game_id)!,
    role,
    channels: channelsOf(pointers, viewer, input.channel),
    beta: { offered: pointers.some(({ channel }) => channel === 'beta'), joined: viewer.isBetaPlayer },
    guest_bugs: guestBugs,
    downloads: offers,
    ...images,
    video_files: videos,
  };
});

/** The channels that the caller can choose: stable first, then by name. */
function channelsOf(pointers: readonly Pointer[], viewer: Viewer, requested: string | undefined): string[] {
  const shown = pointers.filter(
    ({ channel }) => isListed(channel, viewer, undefined) || isListed(channel, viewer, requested),
  );
  const names = [...new Set(shown.map(({ channel }) => channel))].sort();
  return [...names.filter((name) => name === 'stable'), ...names.filter((name) => name !== 'stable')];
}

async function offersOf(ctx: Context, game: Game, pointers: readonly Pointer[]): Promise<Offer[]> {
  const buildIds = pointers.map(({ build_id }) => build_id);
  const [files, builds] = await Promise.all([
    newestOfferedFiles(ctx.db, game.game_id, buildIds),
    findBuilds(ctx.db, game.game_id, buildIds),
  ]);
  return pointers.flatMap((pointer) => {
    const [file, build] = [files.get(pointer.build_id), builds.get(pointer.build_id)];
    return file === undefined || build === undefined ? [] : [offerOf(ctx, pointer, build, file)];
  });
}

function offerOf(ctx: Context, pointer: Pointer, build: Build, file: OfferedFile): Offer {
  const url = `${ctx.publicUrl}/api/v1/public/games/${file.game_id}/files/${file.file_id}`;
  return {
    channel: pointer.channel,
    os: pointer.os,
    arch: pointer.arch,
    build_id: build.build_id,
    version: build.version,
    title: build.title,
    changelog_items: build.changelog,
    expires_at: pointer.expires_at?.toISOString() ?? null,
    file: fileSummaryOf(file),
    origin: file.origin,
    scanned_at: file.scanned_at.toISOString(),
    download_url: `${url}/download`,
    provenance_url: `${url}/provenance`,
  };
}
