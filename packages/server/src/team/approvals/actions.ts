// The actions that can require approval: what each would do now, the state on which that is based, and how it is
// performed. And the check whether a request still applies: the owner is the same, the requester still has the role,
// and the state has not changed.

import { isDeepStrictEqual } from 'node:util';
import {
  describePromotion,
  describeRollout,
  describeRolloutChange,
  describeUndoing,
  describeVersionPromotion,
} from '@chauffeur/contract/consequences';
import { errors } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import type { ApprovalAction, KeyCollection } from '@chauffeur/contract/operations/approvals';
import {
  promoteBuild as promoteOperation,
  promoteVersion as promoteVersionOperation,
  undoChannelChange as undoOperation,
} from '@chauffeur/contract/operations/channels';
import { deleteBuild as deleteOperation } from '@chauffeur/contract/operations/deletion';
import { issueDeployKey } from '@chauffeur/contract/operations/deploy-keys';
import {
  finishRollout as finishOperation,
  resumeRollout as resumeOperation,
  setRolloutShare as shareOperation,
  startRollout as startOperation,
} from '@chauffeur/contract/operations/rollouts';
import { deleteVersion as deleteVersionOperation } from '@chauffeur/contract/operations/versions';
import { isAtLeast, type Role } from '@chauffeur/contract/roles';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import type { Db, Tx } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { roleOnGame } from '../../people/game-access/game-access.sql.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import { previewUndo, undoWithin } from '../../ship/channel-history/channel-history.ts';
import { findPointer } from '../../ship/channels/channels.sql.ts';
import {
  isExpired,
  type Pointer,
  promoteVersionWithin,
  promoteWithin,
  requireOfferedBuild,
  requireOfferedVersion,
} from '../../ship/channels/channels.ts';
import { findActiveKey, issueDeployKeyWithin, lockDeployKeys } from '../../ship/deploy-keys/deploy-keys.ts';
import {
  finishWithin,
  planOf,
  type Rollout,
  type RolloutInput,
  requireBases,
  requireRollout,
  resumeWithin,
  shareWithin,
  startWithin,
} from '../../ship/rollouts/rollouts.ts';
import { mayAgentWrite } from '../agents/agents.ts';
import { deleteBuildWithin, previewDeletion } from '../build-deletion/build-deletion.ts';
import { type ChosenBuilds, deleteVersionWithin, previewVersionDeletion } from '../versions/version-deletion.ts';
import type { ApprovalRow } from './approvals.sql.ts';

/** The effect that the action would have now. */
export type Preview = {
  readonly summary: string;
  readonly consequences: readonly string[];
  /** The version to promote, and the other versions that it replaces. Only a promotion has them. */
  readonly release?: { readonly version: string; readonly replaced: readonly string[] };
  /** The state on which the owner's decision is based. If it has changed since the request, the request is outdated. */
  readonly basis: object;
};

type Action<Input> = {
  /** The role that the requester must still have when the action is performed. */
  readonly neededRole: Role;
  /** Normalizes the input, so that equal requests are recognized. */
  normalize(input: Input): Input;
  /** Throws the error codes of the operation if the action is not possible. */
  preview(db: Db, game: Game, input: Input, now: Date): Promise<Preview>;
  /** The message of error `alreadyDecided` if the basis has changed. */
  readonly outdated: string;
  /** Performs the action and returns the result of the operation. `movedBy` is the author in the history. */
  perform(tx: Tx, game: Game, input: Input, by: { movedBy: string; now: Date }): Promise<object>;
  /**
   * Present if the requesting agent completes the approved action by repeating its call. Returns the new `result` of
   * the approval, and the data for the agent only, which is stored nowhere.
   */
  collect?(tx: Tx, game: Game, handover: Handover): Promise<{ record: object; handedOut: Record<string, unknown> }>;
};

type Handover = {
  /** The last result of `perform` or `collect`. */
  readonly result: object;
  readonly now: Date;
  /** The author in the history. */
  readonly movedBy: string;
  /** Throws `alreadyDecided` if the request no longer applies. */
  requireApplicable(): Promise<unknown>;
};

type PromotionRequest = { channel: string; build_id: string; expires_in_hours?: number | undefined };
type VersionRequest = {
  channel: string;
  version: string;
  platforms?: readonly { os: string; arch: string }[] | undefined;
  expires_in_hours?: number | undefined;
};
type UndoRequest = { channel: string; change_uid: string };
type DeletionRequest = { build_id: string };
type RolloutRequest = { rollout_id: string };
type ShareRequest = RolloutRequest & { share: number };
export type ActionInputs = {
  promote_build: PromotionRequest;
  promote_version: VersionRequest;
  undo_channel_change: UndoRequest;
  delete_build: DeletionRequest;
  delete_version: ChosenBuilds;
  request_deploy_key: DeployKeyRequest;
  start_rollout: RolloutInput;
  resume_rollout: RolloutRequest;
  set_rollout_share: ShareRequest;
  finish_rollout: RolloutRequest;
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
    return {
      summary: `Promote ${build.version} for ${formatPlatform(build)} to ${channel}`,
      consequences: describePromotion({
        channel,
        build,
        current: offerOf(pointer, now),
        hours,
        visibility: game.visibility,
        now,
        formatTime: formatUtc,
      }),
      release: releaseOf(build.version, [pointer], now),
      basis: { move_id: pointer?.move_id ?? null },
    };
  },
  outdated:
    'The channel has moved since this was requested. Nothing was changed. Check the channel and request it again.',
  perform: (tx, game, input, by) => promoteWithin(tx, { ...input, ...by, gameId: game.game_id }),
};

/** What the channel offers now, for the description of a change. */
function offerOf(pointer: Pointer | undefined, now: Date) {
  if (pointer === undefined || pointer.deleted) return undefined;
  const { build_id, version, expires_at } = pointer;
  return { build_id, version, expired: isExpired(pointer, now), expires_at: expires_at?.toISOString() ?? null };
}

function releaseOf(
  version: string,
  pointers: readonly (Pointer | undefined)[],
  now: Date,
): NonNullable<Preview['release']> {
  const offers = pointers.flatMap((pointer) => offerOf(pointer, now) ?? []).filter(({ expired }) => !expired);
  const replaced = new Set(offers.map((offer) => offer.version));
  replaced.delete(version);
  return { version, replaced: [...replaced] };
}

const promoteVersion: Action<VersionRequest> = {
  neededRole: promoteVersionOperation.role ?? 'owner',
  normalize: ({ channel, version, platforms, expires_in_hours = 0 }) => ({
    channel,
    version: version.trim(),
    ...(platforms && { platforms }),
    expires_in_hours,
  }),
  async preview(db, game, { expires_in_hours: hours = 0, ...request }, now) {
    const { channel } = request;
    const builds = await requireOfferedVersion(db, { ...request, gameId: game.game_id });
    const pointers = await Promise.all(
      builds.map(({ os, arch }) => findPointer(db, { gameId: game.game_id, channel, os, arch })),
    );
    return {
      summary: `Promote ${builds[0]!.version} for ${builds.map(formatPlatform).join(', ')} to ${channel}`,
      consequences: describeVersionPromotion({
        channel,
        builds: builds.map((build, index) => ({ build, current: offerOf(pointers[index], now) })),
        hours,
        visibility: game.visibility,
        now,
        formatTime: formatUtc,
      }),
      release: releaseOf(builds[0]!.version, pointers, now),
      basis: {
        builds: builds.map(({ build_id }) => build_id),
        move_ids: pointers.map((pointer) => pointer?.move_id ?? null),
      },
    };
  },
  outdated:
    'The version or the channel has changed since this was requested. Nothing was changed. Check both and request it again.',
  perform: (tx, game, input, by) => promoteVersionWithin(tx, { ...input, ...by, gameId: game.game_id }),
};

const undoChannelChange: Action<UndoRequest> = {
  neededRole: undoOperation.role ?? 'owner',
  normalize: ({ channel, change_uid }) => ({ channel, change_uid: change_uid.toLowerCase() }),
  async preview(db, game, { channel, change_uid }, now) {
    const undone = await previewUndo(db, { gameId: game.game_id, channel, change_uid }, now);
    const offers = undone.map(({ move, before }) => ({
      place: move,
      to: before === null || before.action === 'delete' || isExpired(before, now) ? null : before,
      visibility: game.visibility,
    }));
    const versions = [...new Set(offers.flatMap(({ to }) => to?.version ?? []))];
    return {
      summary: `Undo the last change of ${channel} on ${undone.map(({ move }) => formatPlatform(move)).join(', ')}`,
      consequences: describeUndoing(offers),
      ...(versions.length === 1 && {
        release: { version: versions[0]!, replaced: [...new Set(undone.map(({ move }) => move.version))] },
      }),
      basis: {
        move_ids: undone.map(({ move }) => move.move_id),
        before: undone.map(({ before }) => before?.move_id ?? null),
      },
    };
  },
  outdated:
    'The channel has moved since this was requested. Nothing was changed. Check the channel and request it again.',
  perform: (tx, game, input, by) => undoWithin(tx, { ...input, ...by, gameId: game.game_id }),
};

const startRollout: Action<RolloutInput> = {
  neededRole: startOperation.role ?? 'owner',
  normalize: ({ version, ...input }) => ({ ...input, version: version.trim() }),
  async preview(db, game, input, now) {
    const { steps } = planOf(input);
    const builds = await requireOfferedVersion(db, { ...input, gameId: game.game_id });
    const bases = await requireBases(db, game.game_id, input.channel, builds, now);
    const { version } = builds[0]!;
    const from = [...new Set(bases.map(({ base_version }) => base_version))];
    return {
      summary: `Roll ${version} out on ${input.channel} for ${builds.map(formatPlatform).join(', ')}`,
      consequences: describeRollout({ channel: input.channel, version, from, steps, visibility: game.visibility }),
      release: { version, replaced: from },
      basis: {
        builds: builds.map(({ build_id }) => build_id),
        move_ids: bases.map(({ base_move_id }) => base_move_id),
      },
    };
  },
  outdated:
    'The version or the channel has changed since this was requested. Nothing was changed. Check both and request it again.',
  perform: (tx, game, input, { movedBy: by, now }) => startWithin(tx, game.game_id, input, { by, now }),
};

/** Throws `rolloutConflict` if it has ended. */
async function requireActive(db: Db, game: Game, rolloutId: string): Promise<Rollout> {
  const rollout = await requireRollout(db, { gameId: game.game_id, rolloutId });
  if (rollout.ended_at !== null) throw errors.rolloutConflict('The rollout has ended. Nothing was changed.');
  return rollout;
}

function previewOf(rollout: Rollout, verb: string, consequences: readonly string[]): Preview {
  const { version, channel, state, share, builds } = rollout;
  return {
    summary: `${verb} the rollout of ${version} on ${channel}`,
    consequences,
    release: { version, replaced: [...new Set(builds.map(({ base_version }) => base_version))] },
    basis: { state, share },
  };
}

const ROLLOUT_CHANGED =
  'The rollout has changed since this was requested. Nothing was changed. Check it and request it again.';
const normalizeId = ({ rollout_id }: RolloutRequest) => ({ rollout_id: rollout_id.toLowerCase() });
const refOf = (game: Game, { rollout_id: rolloutId }: RolloutRequest) => ({ gameId: game.game_id, rolloutId });

const resumeRollout: Action<RolloutRequest> = {
  neededRole: resumeOperation.role ?? 'owner',
  normalize: normalizeId,
  async preview(db, game, { rollout_id }) {
    const rollout = await requireActive(db, game, rollout_id);
    if (rollout.state === 'running') throw errors.rolloutConflict('The rollout is running, not paused.');
    return previewOf(rollout, 'Resume', describeRolloutChange(rollout, 'resume', game.visibility));
  },
  outdated: ROLLOUT_CHANGED,
  perform: (tx, game, input, { movedBy: by, now }) => resumeWithin(tx, refOf(game, input), { by, now }),
};

const setRolloutShare: Action<ShareRequest> = {
  neededRole: shareOperation.role ?? 'owner',
  normalize: ({ share, ...input }) => ({ ...normalizeId(input), share }),
  async preview(db, game, { rollout_id, share }) {
    const rollout = await requireActive(db, game, rollout_id);
    if (share <= rollout.share) throw errors.rolloutConflict(`share: it is ${rollout.share}% already, and only grows.`);
    return previewOf(rollout, 'Extend', describeRolloutChange({ ...rollout, share }, 'share', game.visibility));
  },
  outdated: ROLLOUT_CHANGED,
  perform: (tx, game, input, { movedBy: by, now }) => shareWithin(tx, refOf(game, input), input.share, { by, now }),
};

const finishRollout: Action<RolloutRequest> = {
  neededRole: finishOperation.role ?? 'owner',
  normalize: normalizeId,
  async preview(db, game, { rollout_id }) {
    const rollout = await requireActive(db, game, rollout_id);
    for (const { build_id } of rollout.builds) await requireOfferedBuild(db, game.game_id, build_id);
    return previewOf(rollout, 'Finish', describeRolloutChange(rollout, 'finish', game.visibility));
  },
  outdated: ROLLOUT_CHANGED,
  perform: (tx, game, input, { movedBy: by, now }) => finishWithin(tx, refOf(game, input), { by, now }),
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

const deleteVersion: Action<ChosenBuilds> = {
  neededRole: deleteVersionOperation.role ?? 'owner',
  normalize: ({ version, platforms }) => ({ version: version.trim(), ...(platforms && { platforms }) }),
  async preview(db, game, input, now) {
    const { version, builds, channels, consequences } = await previewVersionDeletion(db, game, input, now);
    const platforms = [...new Set(builds.map(formatPlatform))].sort().join(', ');
    return {
      summary: `Delete version ${version} for ${platforms}`,
      consequences,
      basis: {
        builds: builds.map(({ build_id }) => build_id),
        channels: channels.map(({ channel, os, arch }) => `${channel} ${os} ${arch}`),
      },
    };
  },
  outdated:
    'The builds of the version, or the channels that offer them, have changed since this was requested. Nothing was changed. Check the version and request it again.',
  perform: (tx, game, input, by) => deleteVersionWithin(tx, game.game_id, input, by),
};

/** Formats `30 Nov 2026, 12:00 UTC`, because the time zone of an email's reader is unknown. */
function formatUtc(time: Date): string {
  return `${utc.format(time)} UTC`;
}

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** The server sets the id, not the agent. Only this personal key or connection can collect the deploy key. */
type DeployKeyRequest = { agent_id: string };

/**
 * The time after the approval in which the agent can collect the key. It does not depend on when the owner approves.
 */
const COLLECT_MS = DAY;

/** The owner approves the key, and it is created once, when the agent that requested it collects it. */
const requestDeployKey: Action<DeployKeyRequest> = {
  neededRole: issueDeployKey.role ?? 'owner',
  normalize: ({ agent_id }) => ({ agent_id: agent_id.toLowerCase() }),
  async preview(db, game, { agent_id }, now) {
    if (!(await mayAgentWrite(db, agent_id, now)))
      throw errors.alreadyDecided(
        'The agent that requested this can no longer make changes, because its access has ended.',
      );
    const current = await findActiveKey(db, game.game_id);
    return {
      summary: 'Give an agent a new deploy key',
      consequences: describeKeyRequest(current),
      basis: { key_ref: current?.key_ref ?? null },
    };
  },
  outdated:
    'The deploy key has changed since this was requested. Nothing was changed. Check the key and request it again.',
  async perform(_tx, _game, _input, { now }): Promise<KeyCollection> {
    return { key_ref: null, collected_at: null, collect_until: new Date(now.getTime() + COLLECT_MS).toISOString() };
  },
  collect,
};

function describeKeyRequest(current: Awaited<ReturnType<typeof findActiveKey>>): string[] {
  const revoked =
    current === null
      ? 'The game has no active deploy key, so no key stops working.'
      : `Your current deploy key (${current.key_ref}…) stops working as soon as the agent collects the new one. Anything that still uses it can no longer upload${lastUse(current.last_used_at)}.`;
  return [
    'With the new key the agent can upload builds, symbols and store images, without asking you again. Builds uploaded to stable go live for players once they pass their scan.',
    revoked,
    'The key is shown once, within 24 hours of your approval, and only to the agent that requested it. You can revoke it by creating another deploy key.',
  ];
}

function lastUse(at: Date | null): string {
  return at === null ? ' (it has never been used)' : ` (last used ${at.toISOString().slice(0, 10)})`;
}

/**
 * Creates the approved key. The caller holds the lock on the approval, so concurrent calls cannot both create one.
 * Throws `wrongApprovalCode` if it was not collected in time, and `alreadyDecided` if it was already collected or no
 * longer applies.
 */
async function collect(tx: Tx, game: Game, { result, now, movedBy, requireApplicable }: Handover) {
  const { collected_at: collectedAt, collect_until: until } = result as KeyCollection;
  if (collectedAt !== null)
    throw errors.alreadyDecided(
      `The deploy key was collected at ${collectedAt} and is not shown again. If you no longer have it, request another with a new idempotency_key.`,
    );
  if (now >= new Date(until))
    throw errors.wrongApprovalCode(
      `The approved deploy key was not collected by ${until}. Request another with a new idempotency_key.`,
    );
  // The lock comes before the check: a key issued on the website is then either found by the check, or waits and
  // revokes this one.
  await lockDeployKeys(tx, game.game_id);
  await requireApplicable();
  const issued = await issueDeployKeyWithin(tx, game.game_id, movedBy);
  const record: KeyCollection = {
    key_ref: issued.key_ref,
    collected_at: now.toISOString(),
    collect_until: until,
  };
  return { record, handedOut: issued };
}

const ACTIONS = {
  promote_build: promoteBuild,
  promote_version: promoteVersion,
  undo_channel_change: undoChannelChange,
  delete_build: deleteBuild,
  delete_version: deleteVersion,
  request_deploy_key: requestDeployKey,
  start_rollout: startRollout,
  resume_rollout: resumeRollout,
  set_rollout_share: setRolloutShare,
  finish_rollout: finishRollout,
} as const;

/** Returns an action, whose inputs come from the operations of the contract or from a stored approval. */
export function actionOf(action: ApprovalAction): Action<object> {
  return ACTIONS[action] as unknown as Action<object>;
}

/**
 * Returns the effect that the action would have now. Throws `alreadyDecided` if the owner, the requester's role or the
 * basis of the request has changed, and the error codes of the action.
 */
export async function requireApplicable(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  row: ApprovalRow,
  game: Game,
): Promise<Preview> {
  if (row.owner_id !== game.owner_id)
    throw errors.alreadyDecided('The game has a new owner since this was requested. Request it again.');
  const { neededRole } = actionOf(row.action);
  const role = await roleOfAsker(db, row, game);
  if (role === null)
    throw errors.alreadyDecided(`${row.asked_by}, who requested this, is no longer a member of the game.`);
  if (!isAtLeast(role, neededRole))
    throw errors.alreadyDecided(`${row.asked_by}, who requested this, is now a ${role} of the game and may not do it.`);
  const preview = await actionOf(row.action).preview(db, game, row.input, clock.now());
  if (isDeepStrictEqual(row.basis, preview.basis)) return preview;
  throw errors.alreadyDecided(actionOf(row.action).outdated);
}

async function roleOfAsker(db: Db, row: ApprovalRow, game: Game): Promise<Role | null> {
  const asker = row.asker_id === null ? null : await findUserById(db, row.asker_id);
  return asker === null ? null : roleOnGame(db, game.game_id, asker.id);
}
