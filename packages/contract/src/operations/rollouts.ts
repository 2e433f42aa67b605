// Rollouts: a channel offers a newer version to a share of devices, and guards compare it with the current one.
import Type from 'typebox';
import { ArchInput, ArchName, ChannelName, OsInput, OsName, VersionName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GUARD_ACTIONS, GUARD_NAMES, MAX_TOLERANCE } from '../rollout-plan.ts';
import { Platforms, WithdrawalReasonName } from './channels.ts';
import {
  ClientId,
  CursorQuery,
  Foreign,
  GameParams,
  GameRef,
  NextCursor,
  Nullable,
  Sha256,
  Timestamp,
  Uuid,
} from './fields.ts';
import { BandName } from './health.ts';

const ROLLOUT_STATES = ['running', 'paused', 'finished', 'aborted', 'superseded'] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

const ROLLOUT_CHANGES = [
  'started',
  'step',
  'share',
  'paused',
  'resumed',
  'waiting',
  'finished',
  'aborted',
  'superseded',
] as const;

const RolloutParams = Type.Object({ uid: GameRef, rollout_id: Uuid });
const Share = Type.Integer({ minimum: 1, maximum: 99, description: 'Percentage of devices' });
const StateName = Type.Enum([...ROLLOUT_STATES], {
  description:
    'running: devices are offered the version. paused: only devices that have it keep it. finished: the channel offers it. aborted: it was withdrawn. superseded: the channel moved otherwise, or a build was deleted',
});

const Step = Type.Object({
  share: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'Percentage of devices; 100, only as the last step, promotes the version',
  }),
  hours: Type.Optional(
    Type.Number({
      minimum: LIMITS.rolloutStepHours.min,
      maximum: LIMITS.rolloutStepHours.max,
      description: 'How long the step lasts. Only the last step has none',
    }),
  ),
});

const GuardName = Type.Enum([...GUARD_NAMES], {
  description:
    'crash_free: devices without a crash. crash_on_boot: devices without a crash before boot_ok. boot: devices that sent boot_ok. new_groups: devices without a report in a crash group that is new since the rollout began',
});

const GuardInput = Type.Object({
  guard: GuardName,
  action: Type.Optional(
    Type.Enum([...GUARD_ACTIONS], { description: 'What happens if the version is worse; pause by default' }),
  ),
  tolerance: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_TOLERANCE,
      description: 'Percentage points by which the version may be worse; 0 by default',
    }),
  ),
});

const GuardSettings = Type.Object({
  guard: GuardName,
  action: Type.Enum([...GUARD_ACTIONS]),
  tolerance: Type.Number(),
  overruled: Type.Boolean({ description: 'Whether the rollout was resumed after this guard had stopped it' }),
});

const RolloutBuild = Type.Object({
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  base_build_id: { ...Uuid, description: 'What the channel offered when the rollout began' },
  base_version: Type.String(),
});

/** What changes of a rollout return. */
const RolloutStatus = Type.Object({
  rollout_id: Uuid,
  channel: Type.String(),
  version: Type.String(),
  state: Type.Enum([...ROLLOUT_STATES]),
  share: { ...Share, description: 'Percentage of devices that are offered the version now, or were at the end' },
  step: Type.Integer({ description: 'Position in the steps, from 0' }),
  next_step_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When the time of the step is over; null if it has none, or the rollout is not running',
    }),
  ),
});

const Rollout = Type.Object({
  ...RolloutStatus.properties,
  state: StateName,
  builds: Type.Array(RolloutBuild, { description: 'One for each platform' }),
  steps: Type.Array(Step),
  guards: Type.Array(GuardSettings),
  min_devices: Type.Integer({ description: 'Devices that each side needs before a guard decides' }),
  started_at: Timestamp,
  started_by: Type.String(),
  ended_at: Nullable(Timestamp),
});

const Rate = Type.Object(
  {
    devices: Type.Integer(),
    rate: Nullable(Type.Number({ description: '0 to 1; null without devices' })),
    low: Nullable(Type.Number({ description: 'The lower end of the 95% confidence interval' })),
    high: Nullable(Type.Number({ description: 'The upper end of the 95% confidence interval' })),
  },
  { description: 'A share of devices' },
);

const Side = Type.Object({
  devices: Type.Integer({ description: 'Devices that used it since the rollout began' }),
  on_it: Type.Integer({ description: 'Devices of which it is the build last used' }),
  started: Type.Integer({ description: 'Devices that started it' }),
  booted: Type.Integer({ description: 'Devices that sent boot_ok' }),
  crashed_on_boot: Type.Integer(),
  crashed: Type.Integer({ description: 'Devices that crashed within a day of their first event since it began' }),
  band: BandName,
  crash_free: Rate,
  boot: Rate,
});

const CHECK_VERDICTS = ['waiting', 'ok', 'worse'] as const;

const Check = Type.Object({
  guard: GuardName,
  checked_at: Timestamp,
  verdict: Type.Enum([...CHECK_VERDICTS], {
    description:
      'waiting: too few devices to decide. ok: not worse, as far as the devices show. worse: worse by more than the tolerance',
  }),
  good: Type.Integer({ description: 'Devices with the version that are fine' }),
  devices: Type.Integer({ description: 'Devices with the version' }),
  base_good: Type.Integer(),
  base_devices: Type.Integer(),
  needed: Type.Integer({ description: 'Devices that each side needs' }),
  difference: Nullable(Type.Number({ description: 'Rate of the version minus that of the current one' })),
  low: Nullable(
    Type.Number({ description: 'The lower end of the interval of the difference, which holds at every check' }),
  ),
  high: Nullable(Type.Number()),
});

const GroupOfRollout = Type.Object({
  group_id: Uuid,
  title: Foreign(Type.String()),
  is_new: Type.Boolean({ description: 'Whether it was first seen since the rollout began' }),
  reports: Type.Integer({ description: 'Reports of the version since then' }),
  devices: Type.Integer(),
  base_reports: Type.Integer({ description: 'Reports of the current version since then' }),
  base_devices: Type.Integer(),
});

const HistoryEntry = Type.Object({
  kind: Type.Enum([...ROLLOUT_CHANGES], { description: 'waiting: its time is over, but there are too few devices' }),
  at: Timestamp,
  by: Type.String({ description: 'A person, or "guard" or "schedule"' }),
  text: Type.String({ description: 'What happened and why, in a sentence' }),
  groups: Type.Array(Type.Object({ group_id: Uuid, title: Foreign(Type.String()), devices: Type.Integer() }), {
    description: 'The crash groups responsible',
  }),
});

const RolloutDetails = Type.Object({
  ...Rollout.properties,
  measured_at: Nullable(
    Type.String({ format: 'date-time', description: 'Devices that sent events up to this time are counted' }),
  ),
  side: Side,
  base_side: { ...Side, description: 'The same for the current version, on devices that are not offered the new one' },
  checks: Type.Array(Check, { description: 'The latest result of each guard' }),
  new_groups: Type.Array(GroupOfRollout, { description: 'The crash groups with the most devices since it began' }),
  withdrawn_devices: Nullable(
    Type.Integer({ description: 'Devices still on the builds of an aborted rollout; null for others' }),
  ),
  next: Type.String({ description: 'What happens next, in a sentence' }),
  history: Type.Array(HistoryEntry, { description: 'The newest first' }),
});

const ListQuery = Type.Object({
  ...CursorQuery,
  channel: Type.Optional(ChannelName),
  version: Type.Optional(VersionName),
  state: Type.Optional(Type.Enum(['active', ...ROLLOUT_STATES], { description: 'active: running or paused' })),
});
const RolloutList = Type.Object({ rollouts: Type.Array(Rollout), next_cursor: NextCursor });

const StartBody = Type.Object({
  version: VersionName,
  platforms: Platforms('to roll it out on'),
  steps: Type.Optional(
    Type.Array(Step, {
      minItems: 1,
      maxItems: LIMITS.rolloutSteps,
      description: 'By default, 5%, 25% and 50% for a day each, and then all',
    }),
  ),
  guards: Type.Optional(
    Type.Array(GuardInput, { maxItems: GUARD_NAMES.length, description: 'All four by default; empty for none' }),
  ),
  min_devices: Type.Optional(
    Type.Integer({
      minimum: LIMITS.rolloutMinDevices.min,
      maximum: LIMITS.rolloutMinDevices.max,
      description: 'Devices that each side needs before a guard decides; 100 by default',
    }),
  ),
});
const ShareBody = Type.Object({ share: { ...Share, description: 'Percentage of devices: more than now' } });

export const listRollouts = defineOperation({
  id: 'rollouts.list',
  summary: 'List the rollouts of a game, newest first',
  method: 'GET',
  path: '/games/{uid}/rollouts',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: ListQuery,
  output: RolloutList,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_rollouts',
    when: 'Use it to see which versions are being rolled out to a share of devices, and how earlier rollouts ended.',
    scope: 'mcp:read',
  },
});

export const getRollout = defineOperation({
  id: 'rollouts.get',
  summary: 'Get a rollout: both versions side by side, what the guards found, and what happens next',
  method: 'GET',
  path: '/games/{uid}/rollouts/{rollout_id}',
  access: 'account',
  role: 'viewer',
  params: RolloutParams,
  output: RolloutDetails,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_rollout',
    when: 'Use it to decide whether a version that is being rolled out does worse than the current one.',
    scope: 'mcp:read',
  },
});

export const startRollout = defineOperation({
  id: 'rollouts.start',
  summary: 'Start a rollout: the channel offers a newer version to a share of devices',
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/rollouts',
  access: 'account',
  role: 'developer',
  params: Type.Object({ uid: GameRef, channel: ChannelName }),
  body: StartBody,
  output: RolloutStatus,
  statuses: [201],
  invalid: 'invalidRollout',
  errors: ['unknownBuild', 'notFound', 'notClean', 'rolloutConflict'],
  mcp: {
    tool: 'start_rollout',
    when: 'Use it when the user asks to release a version gradually. Call list_channels first to see what it replaces.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const pauseRollout = defineOperation({
  id: 'rollouts.pause',
  summary: 'Pause a rollout: devices that have the version keep it, and no others get it',
  method: 'POST',
  path: '/games/{uid}/rollouts/{rollout_id}/pause',
  access: 'account',
  role: 'developer',
  params: RolloutParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['notFound', 'rolloutConflict'],
  mcp: {
    tool: 'pause_rollout',
    when: 'Use it when the user asks to stop a rollout for now, for example to look into a crash.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const resumeRollout = defineOperation({
  id: 'rollouts.resume',
  summary: 'Resume a paused rollout; guards that had paused it no longer stop it',
  method: 'POST',
  path: '/games/{uid}/rollouts/{rollout_id}/resume',
  access: 'account',
  role: 'developer',
  params: RolloutParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['notFound', 'rolloutConflict'],
  mcp: {
    tool: 'resume_rollout',
    when: 'Use it when the user asks to go on with a paused rollout. Call get_rollout first to see why it was paused.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const setRolloutShare = defineOperation({
  id: 'rollouts.share',
  summary: 'Offer the version of a rollout to a larger share of devices',
  method: 'POST',
  path: '/games/{uid}/rollouts/{rollout_id}/share',
  access: 'account',
  role: 'developer',
  params: RolloutParams,
  body: ShareBody,
  output: RolloutStatus,
  statuses: [200],
  invalid: 'invalidRollout',
  errors: ['notFound', 'rolloutConflict'],
  mcp: {
    tool: 'set_rollout_share',
    when: 'Use it when the user asks to roll a version out to more devices before the next step.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const finishRollout = defineOperation({
  id: 'rollouts.finish',
  summary: 'Finish a rollout: the channel offers the version to all devices, as after a promotion',
  method: 'POST',
  path: '/games/{uid}/rollouts/{rollout_id}/finish',
  access: 'account',
  role: 'developer',
  params: RolloutParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['unknownBuild', 'notFound', 'notClean', 'rolloutConflict'],
  mcp: {
    tool: 'finish_rollout',
    when: 'Use it when the user asks to release the version of a rollout to everyone. Call get_rollout first.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const abortRollout = defineOperation({
  id: 'rollouts.abort',
  summary: 'Abort a rollout: its builds count as withdrawn, and all devices are offered what the channel offers',
  method: 'POST',
  path: '/games/{uid}/rollouts/{rollout_id}/abort',
  access: 'account',
  role: 'developer',
  params: RolloutParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['notFound', 'rolloutConflict'],
  mcp: {
    tool: 'abort_rollout',
    when: 'Use it when the user asks to withdraw a version that is being rolled out, for example because it crashes.',
    scope: 'mcp:write',
    destructive: true,
  },
});

const ToolParams = Type.Object({ rollout_id: Uuid });
const withKey = { access: 'deploy_key', role: 'developer', uploadScope: 'channels' } as const;

export const listRolloutsWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.listWithKey',
  summary: "List the rollouts of the deploy key's game, newest first",
  method: 'GET',
  path: '/tool/rollouts',
  query: ListQuery,
  output: RolloutList,
  statuses: [200],
  errors: [],
});

export const getRolloutWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.getWithKey',
  summary: "Get a rollout of the deploy key's game: both versions side by side, and what happens next",
  method: 'GET',
  path: '/tool/rollouts/{rollout_id}',
  params: ToolParams,
  output: RolloutDetails,
  statuses: [200],
  errors: ['notFound'],
});

export const startRolloutWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.startWithKey',
  summary: "Start a rollout of the deploy key's game: the channel offers a newer version to a share of devices",
  method: 'POST',
  path: '/tool/channels/{channel}/rollouts',
  params: Type.Object({ channel: ChannelName }),
  body: StartBody,
  output: RolloutStatus,
  statuses: [201],
  invalid: 'invalidRollout',
  errors: ['unknownBuild', 'notClean', 'rolloutConflict'],
});

export const pauseRolloutWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.pauseWithKey',
  summary: "Pause a rollout of the deploy key's game",
  method: 'POST',
  path: '/tool/rollouts/{rollout_id}/pause',
  params: ToolParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['notFound', 'rolloutConflict'],
});

export const resumeRolloutWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.resumeWithKey',
  summary: "Resume a paused rollout of the deploy key's game",
  method: 'POST',
  path: '/tool/rollouts/{rollout_id}/resume',
  params: ToolParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['notFound', 'rolloutConflict'],
});

export const setRolloutShareWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.shareWithKey',
  summary: "Offer the version of a rollout of the deploy key's game to a larger share of devices",
  method: 'POST',
  path: '/tool/rollouts/{rollout_id}/share',
  params: ToolParams,
  body: ShareBody,
  output: RolloutStatus,
  statuses: [200],
  invalid: 'invalidRollout',
  errors: ['notFound', 'rolloutConflict'],
});

export const finishRolloutWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.finishWithKey',
  summary: "Finish a rollout of the deploy key's game: the channel offers the version to all devices",
  method: 'POST',
  path: '/tool/rollouts/{rollout_id}/finish',
  params: ToolParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['unknownBuild', 'notFound', 'notClean', 'rolloutConflict'],
});

export const abortRolloutWithKey = defineOperation({
  ...withKey,
  id: 'rollouts.abortWithKey',
  summary: "Abort a rollout of the deploy key's game",
  method: 'POST',
  path: '/tool/rollouts/{rollout_id}/abort',
  params: ToolParams,
  output: RolloutStatus,
  statuses: [200],
  errors: ['notFound', 'rolloutConflict'],
});

const Change = Type.Object({ title: Type.String(), description: Type.String() });

export const getUpdate = defineOperation({
  id: 'store.update',
  summary: 'Find the build that an installed game should run: that of its channel, or of a rollout for its device',
  method: 'GET',
  path: '/public/games/{uid}/updates',
  access: 'public',
  tokenScope: 'builds:read',
  params: GameParams,
  query: Type.Object({
    build_id: Type.Optional({
      ...Uuid,
      description: 'The build that is installed. Without it, the answer is for a first installation',
    }),
    device_uid: Type.Optional(
      ClientId('The device_uid of events. Without it, the answer never has the build of a rollout'),
    ),
    channel: Type.Optional({ ...ChannelName, description: 'The channel that the player follows; stable by default' }),
    os: Type.Optional({
      ...OsInput,
      description: 'The OS; that of the installed build by default. Required without `build_id`',
    }),
    arch: Type.Optional({
      ...ArchInput,
      description: 'The architecture; that of the installed build by default. Required without `build_id`',
    }),
  }),
  output: Type.Object({
    game_uid: Uuid,
    channel: Type.String(),
    os: OsName,
    arch: ArchName,
    running: Nullable(
      Type.Object({ build_id: Uuid, version: Type.String() }, { description: 'Null if nothing is installed' }),
    ),
    withdrawn: Nullable(
      Type.Object(
        {
          reason: WithdrawalReasonName,
          at: Timestamp,
        },
        { description: 'Why players should not stay on the installed build; null if they can' },
      ),
    ),
    update: Type.Boolean({
      description:
        'Whether to install the offered build: it is newer, the installed one was withdrawn, or nothing is installed',
    }),
    offered: Nullable(
      Type.Object(
        {
          build_id: Uuid,
          version: Type.String(),
          title: Type.String(),
          registered_at: Timestamp,
          source: Type.Enum(['channel', 'rollout'], { description: 'What offers it to this device' }),
          file_uid: Uuid,
          filename: Foreign(Type.String()),
          size: Type.Integer({ description: 'Bytes of the whole download' }),
          checksum: Sha256,
          download_url: Type.String(),
          sizes: Type.Object(
            {
              patch: Nullable(
                Type.Integer({
                  description: 'The patch pack (`store.patch`) from the installed build; null without one',
                }),
              ),
              blocks: Nullable(
                Type.Integer({
                  description:
                    'The difference of the manifests (`store.manifestDifference`) and what has to be fetched of the zip; null if there is none from the installed build',
                }),
              ),
              whole: Type.Integer({ description: 'The zip' }),
            },
            { description: 'Bytes to download, by the way in which a client with the installed build updates' },
          ),
          statement: Nullable(
            Type.String({
              description:
                'What is offered, as JSON in base64url: `game`, `channel`, `os`, `arch`, `build`, `file`, `size`, `zip` (SHA-256 of the zip), `manifest` (SHA-256 of the unpacked manifest, or null), `serial`, `issued_at`. Null if the server can’t sign',
            }),
          ),
          signature: Nullable(
            Type.String({
              description:
                'The id of a key of /.well-known/chauffeur-keys.json, a space, and its Ed25519 signature in base64url of `chauffeur statement 1`, a line break, and the bytes of the statement',
            }),
          ),
        },
        { description: 'The build to run; null if the channel offers nothing on this platform' },
      ),
    ),
    changelog: Type.Array(
      Type.Object({
        version: Type.String(),
        title: Type.String(),
        changelog_items: Type.Array(Change),
      }),
      {
        maxItems: LIMITS.updateChangelogs,
        description:
          'What the channel offered after the installed build, up to the offered one, newest first. Without an installed build, what is new in the offered one',
      },
    ),
  }),
  statuses: [200],
  errors: ['notFound', 'unknownBuild', 'limitReached'],
});
