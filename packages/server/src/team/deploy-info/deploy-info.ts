// What a deploy tool needs to ship builds: the game, URLs, limits and recent builds, without secrets.
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/deploy-info';
import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import { readGameAndOwner, requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { countBuilds, recentBuilds } from '../../ship/builds/builds.ts';
import { currentPointers } from '../../ship/channels/channels.ts';
import { readDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import { type ImageSet, publicImages } from '../../ship/media/media.ts';
import { readUsage } from '../../ship/usage/usage.ts';
import { findListingProblems } from '../../shop/store/store.ts';

export const getDeployInfo = handle(contract.getDeployInfo, async (ctx, { caller }) => {
  const { gameId, keyRef, user, token } = caller;
  const [info, builds, pointers, images, missing] = await Promise.all([
    infoOf(ctx, gameId),
    countBuilds(ctx, gameId),
    currentPointers(ctx.db, gameId, ctx.clock.now()),
    publicImages(ctx, gameId),
    findListingProblems(ctx, gameId),
  ]);
  return {
    ...info,
    key_ref: keyRef,
    user: user?.name ?? null,
    token:
      token === undefined
        ? null
        : { name: token.name, scopes: [...token.scopes], expires_at: token.expiresAt?.toISOString() ?? null },
    game_uid: gameId,
    url: `${ctx.publicUrl}${PAGES.game.replace(':uid', info.slug)}`,
    status: info.visibility === 'draft' ? ('draft' as const) : ('published' as const),
    builds,
    channels: pointers.map(({ channel, os, arch, build_id, version }) => ({ channel, os, arch, build_id, version })),
    lint: { ready: missing.length === 0, errors: missing, warnings: [] },
    media: addressesOf(images),
  };
});

/** The URLs of the images alone, which some clients print. */
function addressesOf({ cover, thumbnail, gallery }: ImageSet) {
  return {
    cover: cover?.url ?? null,
    thumbnail: thumbnail?.url ?? null,
    gallery: gallery.map(({ uid, url, position }) => ({ uid, url, position })),
    gallery_max: LIMITS.galleryImages,
  };
}

/** Throws `notFound`. */
export const getGameDeployInfo = handle(contract.getGameDeployInfo, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const [info, keys] = await Promise.all([infoOf(ctx, game.game_id), readDeployKeys(ctx, game.game_id)]);
  return {
    ...info,
    auth: { crash_headers: { 'X-App-Id': game.game_id, 'X-Build-Id': '<build_id of the exact build>' } },
    ...keys,
  };
});

async function infoOf(ctx: Context, gameId: string) {
  const [game, builds, usage] = await Promise.all([
    readGameAndOwner(ctx, gameId),
    recentBuilds(ctx, gameId),
    readUsage(ctx, gameId),
  ]);
  const api = `${ctx.publicUrl}/api/v1`;
  return {
    app_id: gameId,
    name: game.name,
    slug: game.slug,
    visibility: game.visibility,
    owner_verified: game.owner_verified,
    urls: { api, upload: api, crashes: `${api}/public/crashes`, events: `${api}/public/events` },
    limits: {
      uploads_per_hour: ctx.config.limitUploads,
      chunks_per_hour: ctx.config.limitChunks,
      open_sessions: ctx.config.limitSessions,
      file_bytes: LIMITS.fileBytes,
    },
    usage,
    recent_builds: builds.map(({ build_id, version, os, arch, channel, state, created_at }) => ({
      build_id,
      version,
      os,
      arch,
      channel,
      state,
      created_at,
    })),
  };
}
