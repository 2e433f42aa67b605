// What shipping builds takes: the game, the addresses to use, the limits and the recent builds; never a secret.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/deploy-info';
import type { AccountCaller, Context, GameCaller } from '../../context.ts';
import { recentBuilds } from '../builds/builds.ts';
import { listDeployKeys } from '../deploy-keys/deploy-keys.ts';
import { readGameAndOwner, requireMember } from '../games/games.ts';
import { readUsage } from '../usage/usage.ts';

export async function getDeployInfo(
  ctx: Context,
  caller: GameCaller,
): Promise<OutputOf<typeof contract.getDeployInfo>> {
  return { ...(await infoOf(ctx, caller.gameId)), key_ref: caller.keyRef };
}

/** Throws 4040. */
export async function getGameDeployInfo(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string },
): Promise<OutputOf<typeof contract.getGameDeployInfo>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const [info, keys] = await Promise.all([infoOf(ctx, game.game_id), listDeployKeys(ctx, caller, input)]);
  return {
    ...info,
    auth: { crash_headers: { 'X-App-Id': game.game_id, 'X-Build-Id': '<build_id of the exact build>' } },
    ...keys,
  };
}

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
