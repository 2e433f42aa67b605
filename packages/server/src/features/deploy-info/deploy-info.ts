// What the holder of a deploy key may know: its game, the addresses to use, the limits and the recent builds; never a secret.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/deploy-info';
import type { Context, GameCaller } from '../../context.ts';
import { recentBuilds } from '../builds/builds.ts';
import { readGameAndOwner } from '../games/games.ts';

export async function getDeployInfo(
  ctx: Context,
  caller: GameCaller,
): Promise<OutputOf<typeof contract.getDeployInfo>> {
  const [game, builds] = await Promise.all([readGameAndOwner(ctx, caller.gameId), recentBuilds(ctx, caller.gameId)]);
  const api = `${ctx.publicUrl}/api/v1`;
  return {
    app_id: caller.gameId,
    name: game.name,
    slug: game.slug,
    visibility: game.visibility,
    owner_verified: game.owner_verified,
    key_ref: caller.keyRef,
    urls: { api, upload: api, crashes: `${api}/public/crashes`, events: `${api}/public/events` },
    limits: {
      uploads_per_hour: ctx.config.limitUploads,
      chunks_per_hour: ctx.config.limitChunks,
      open_sessions: ctx.config.limitSessions,
      file_bytes: LIMITS.fileBytes,
    },
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
