// The actions that can require approval, each with its description, its basis and how it is performed.
import { describePromotion } from '@chauffeur/contract/consequences';
import { formatPlatform } from '@chauffeur/contract/format';
import type { ApprovalAction } from '@chauffeur/contract/operations/approvals';
import { deleteBuild as deleteOperation } from '@chauffeur/contract/operations/build-deletion';
import { promoteBuild as promoteOperation } from '@chauffeur/contract/operations/channels';
import { findPointer } from '../../ship/channels/channels.sql.ts';
import { isExpired, promoteWithin, requireOfferedBuild } from '../../ship/channels/channels.ts';
import { deleteBuildWithin, previewDeletion } from '../build-deletion/build-deletion.ts';
import type { Action } from './action.ts';
import { type DeployKeyRequest, requestDeployKey } from './deploy-key-action.ts';

type PromotionRequest = { channel: string; build_id: string; expires_in_hours?: number | undefined };
type DeletionRequest = { build_id: string };
export type ActionInputs = {
  promote_build: PromotionRequest;
  delete_build: DeletionRequest;
  request_deploy_key: DeployKeyRequest;
};

const promoteBuild: Action<PromotionRequest> = {
  neededRole: promoteOperation.role ?? 'owner',
  normalize: ({ channel, build_id, expires_in_hours = 0 }) => ({
    channel,
    build_id: build_id.toLowerCase(),
    expires_in_hours,
  }),
  async preview(db, game, { channel, build_id, expires_in_hours: hours = 0 }, now) {
    const build = await requireOfferedBuild(db, game.game_id, build_id);
    const pointer = await findPointer(db, { gameId: game.game_id, channel, os: build.os, arch: build.arch });
    const current = pointer === undefined || pointer.deleted ? undefined : pointer;
    return {
      summary: `Promote ${build.version} for ${formatPlatform(build)} to ${channel}`,
      consequences: describePromotion({
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
        formatTime: formatUtc,
      }),
      basis: { move_id: pointer?.move_id ?? null },
    };
  },
  outdated:
    'The channel has moved since this was requested. Nothing was changed. Check the channel and request it again.',
  perform: (tx, game, input, by) => promoteWithin(tx, { ...input, ...by, gameId: game.game_id }),
};

const deleteBuild: Action<DeletionRequest> = {
  neededRole: deleteOperation.role ?? 'owner',
  normalize: ({ build_id }) => ({ build_id: build_id.toLowerCase() }),
  async preview(db, game, { build_id }, now) {
    const { version, os, arch, channels, consequences } = await previewDeletion(db, game, build_id, now);
    return {
      summary: `Delete the build ${version} for ${formatPlatform({ os, arch })}`,
      consequences,
      basis: { channels: channels.map(({ channel }) => channel) },
    };
  },
  outdated:
    'The channels that offer the build have changed since this was requested. Nothing was changed. Check the build and request it again.',
  perform: (tx, game, { build_id }, by) => deleteBuildWithin(tx, { ...by, gameId: game.game_id, buildId: build_id }),
};

const ACTIONS = {
  promote_build: promoteBuild,
  delete_build: deleteBuild,
  request_deploy_key: requestDeployKey,
} as const;

/** The inputs come from the contract's operations or from a stored approval. */
export function actionOf(action: ApprovalAction): Action<object> {
  return ACTIONS[action] as unknown as Action<object>;
}

/** Formats `30 Nov 2026, 12:00 UTC`, because the time zone of an email's reader is unknown. */
function formatUtc(time: Date): string {
  return `${utc.format(time)} UTC`;
}

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
