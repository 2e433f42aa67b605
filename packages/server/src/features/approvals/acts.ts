// What can wait for approval: how each kind of change is put into words, what it is asked upon, and how it is done.
import { sayPromotion } from '@chauffeur/contract/consequences';
import type { ApprovalAction } from '@chauffeur/contract/operations/approvals';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { deleteBuildWithin, foreseeDeletion } from '../build-deletion/build-deletion.ts';
import { findPointer, isExpired, promoteWithin, requireOfferable } from '../channels/channels.ts';
import type { Act } from './act.ts';
import { type DeployKeyRequest, requestDeployKey } from './deploy-key-act.ts';

export type PromotionRequest = { channel: string; build_id: string; expires_in_hours?: number | undefined };
export type DeletionRequest = { build_id: string };
export type ActInputs = {
  promote_build: PromotionRequest;
  delete_build: DeletionRequest;
  request_deploy_key: DeployKeyRequest;
};

const promoteBuild: Act<PromotionRequest> = {
  normalize: ({ channel, build_id, expires_in_hours = 0 }) => ({
    channel,
    build_id: build_id.toLowerCase(),
    expires_in_hours,
  }),
  async foresee(db, game, { channel, build_id, expires_in_hours: hours = 0 }, now) {
    const build = await requireOfferable(db, game.game_id, build_id);
    const pointer = await findPointer(db, { gameId: game.game_id, channel, os: build.os, arch: build.arch });
    const current = pointer === undefined || pointer.deleted ? undefined : pointer;
    return {
      summary: `Promote ${build.version} for ${sayPlatform(build)} to ${channel}`,
      consequences: sayPromotion({
        channel,
        build,
        current: current && {
          build_id: current.build_id,
          version: current.version,
          expired: isExpired(current, now),
          expires_at: current.expires_at?.toISOString() ?? null,
        },
        hours,
        visibility: game.visibility,
        now,
        sayTime: sayUtc,
      }),
      basis: { move_id: pointer?.move_id ?? null },
    };
  },
  moved: 'The channel was moved since this was asked for.',
  perform: (tx, game, input, by) => promoteWithin(tx, { ...input, ...by, gameId: game.game_id }),
};

const deleteBuild: Act<DeletionRequest> = {
  normalize: ({ build_id }) => ({ build_id: build_id.toLowerCase() }),
  async foresee(db, game, { build_id }, now) {
    const { version, os, arch, channels, consequences } = await foreseeDeletion(db, game, build_id, now);
    return {
      summary: `Delete the build ${version} for ${sayPlatform({ os, arch })}`,
      consequences,
      basis: { channels: channels.map(({ channel }) => channel) },
    };
  },
  moved: 'Other channels offer the build than when this was asked for.',
  perform: (tx, game, { build_id }, by) => deleteBuildWithin(tx, { ...by, gameId: game.game_id, buildId: build_id }),
};

const ACTS = {
  promote_build: promoteBuild,
  delete_build: deleteBuild,
  request_deploy_key: requestDeployKey,
} as const;

/** The inputs come from the contract's operations, or from a row that this wrote. */
export function actOf(action: ApprovalAction): Act<object> {
  return ACTS[action] as unknown as Act<object>;
}

/** `30 Nov 2026, 12:00 UTC`: a mail does not know its reader's time zone. */
function sayUtc(time: Date): string {
  return `${utc.format(time)} UTC`;
}

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
