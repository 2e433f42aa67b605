// Channels: the build each one offers on each platform, and the history of changes.
import Type from 'typebox';
import { ArchInput, ArchName, ChannelName, OsInput, OsName, VersionName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, GameParams, GameRef, NextCursor, Nullable, Timestamp, Uuid, WholeQuery } from './fields.ts';
import { ScanStateName } from './files.ts';

export const MOVE_ACTIONS = ['advance', 'promote', 'rollback', 'delete', 'undo'] as const;

const ChannelParams = Type.Object({ uid: GameRef, channel: ChannelName });

export const ChannelPointer = Type.Object({
  channel: Type.String(),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  version: Type.String(),
  expires_at: Nullable(Timestamp),
  expired: Type.Boolean(),
  previous_build_id: Nullable({ ...Uuid, description: 'The build that a rollback restores; null if there is none' }),
  moved_at: Timestamp,
  change_uid: { ...Uuid, description: 'The change that made it offer this; channels.undo undoes it' },
});

/** What one change made a channel offer, on one platform or on several. */
const ChannelChange = Type.Object({
  change_uid: { ...Uuid, description: 'Undoes the change with channels.undo' },
  channels: Type.Array(ChannelPointer),
});

export const Platforms = (what: string) =>
  Type.Optional(
    Type.Array(Type.Object({ os: OsInput, arch: ArchInput }), {
      minItems: 1,
      maxItems: 64,
      description: `The platforms ${what}; all by default`,
    }),
  );

export const ChannelMove = Type.Object({
  at: Timestamp,
  change_uid: { ...Uuid, description: 'The same for platforms that were changed at once' },
  action: Type.Enum([...MOVE_ACTIONS], {
    description:
      'delete: the build was deleted and the channel offers nothing. undo: the change before was undone; if it was the first, the channel offers nothing',
  }),
  channel: Type.String(),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  version: Type.String(),
  previous_build_id: Nullable({ ...Uuid, description: 'The build that the channel offered before' }),
  expires_at: Nullable(Timestamp),
  by: Type.String({ description: 'Name of the person who changed it, or "upload" for an automatic advance' }),
  deleted: Type.Boolean({ description: 'Whether the build was deleted since' }),
});

const WITHDRAWAL_REASONS = ['deleted', 'rollout_aborted', 'rolled_back', 'expired'] as const;
export type WithdrawalReason = (typeof WITHDRAWAL_REASONS)[number];
export const WithdrawalReasonName = Type.Enum([...WITHDRAWAL_REASONS], {
  description:
    'rolled_back: the channel was rolled back from the build, or the change to it was undone. expired: its promotion expired, and the channel has not moved since',
});

const WithdrawnBuild = Type.Object({
  channel: Type.String({ description: 'The channel that it was withdrawn from; another one may still offer it' }),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  version: Type.String(),
  reason: WithdrawalReasonName,
  at: { ...Timestamp, description: 'When it was withdrawn' },
  devices: Nullable(
    Type.Integer({
      description:
        'Devices that sent events with it on `devices_since` or later: on any channel, because events have none. Null if no device of the game sent events in the last 7 days, or if they can’t be counted now',
    }),
  ),
  devices_since: Type.String({
    description:
      'A UTC day: the one after it was withdrawn, or the first of the last 7 days if that is later. If it was withdrawn today, today, so that `devices` includes devices from before',
  }),
});

const WithdrawnBuilds = Type.Array(WithdrawnBuild, {
  description: `Builds that were withdrawn in the last 30 days, or that devices still sent events with in the last 7, without deleted builds: the last ${LIMITS.withdrawnBuilds}, newest first`,
});

/** A channel with what a developer needs to know before changing it. */
const ChannelPlace = Type.Object({
  ...ChannelPointer.properties,
  /** The state of the offered file; null if there is none. */
  scan: Nullable(ScanStateName),
  /** The build that a rollback restores; null if there is none. */
  rollback_to: Nullable(Type.Object({ build_id: Uuid, version: Type.String() })),
  updates: Type.Array(
    Type.Object({
      from_version: Type.String(),
      bytes: Type.Integer({ description: 'With the patch pack if there is one, or else with blocks' }),
    }),
    { description: 'What players download who have one of the last versions; empty while it is not known' },
  ),
});

export const listChannels = defineOperation({
  id: 'channels.list',
  summary: 'List what each channel of a game offers on each platform',
  method: 'GET',
  path: '/games/{uid}/channels',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object(WholeQuery),
  output: Type.Object({
    next_cursor: Type.Optional(NextCursor),
    channels: Type.Array(ChannelPlace),
    emptied: Type.Array(
      Type.Object({
        channel: Type.String(),
        os: OsName,
        arch: ArchName,
        version: Type.String({ description: 'Version of the deleted build' }),
        emptied_at: Timestamp,
      }),
      { description: 'Channels that offer nothing on a platform because the build was deleted' },
    ),
    withdrawn: WithdrawnBuilds,
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_channels',
    when: 'Use it to see which build players get now, before you change a channel and afterwards.',
    scope: 'mcp:read',
  },
});

export const promoteBuild = defineOperation({
  id: 'channels.promote',
  summary: "Promote a build: the channel offers it on the build's platform",
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/promote',
  access: 'account',
  role: 'developer',
  params: ChannelParams,
  body: Type.Object({
    build_id: Type.String({ maxLength: 64 }),
    expires_in_hours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: LIMITS.promotionHours,
        description: 'Hours until the promotion expires and the channel offers nothing; 0 for never',
      }),
    ),
  }),
  output: ChannelPointer,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['unknownBuild', 'notFound', 'notClean'],
  mcp: {
    tool: 'promote_build',
    when: 'Use it when the user asks to release a build on a channel. Call list_channels first to see what it replaces.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const rollbackChannel = defineOperation({
  id: 'channels.rollback',
  summary: 'Roll a channel back to the build it offered before',
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/rollback',
  access: 'account',
  role: 'developer',
  params: ChannelParams,
  body: Type.Object({
    os: Type.Optional(OsInput),
    arch: Type.Optional(ArchInput),
    platforms: Platforms('to roll back'),
  }),
  output: ChannelChange,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['notFound', 'noEarlierBuild'],
  mcp: {
    tool: 'rollback_channel',
    when: 'Use it when the user asks to undo the last promotion of a channel, for example because the new build crashes.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const promoteVersion = defineOperation({
  id: 'channels.promoteVersion',
  summary: 'Promote a version: the channel offers its builds on all their platforms, or on none',
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/promote-version',
  access: 'account',
  role: 'developer',
  params: ChannelParams,
  body: Type.Object({
    version: VersionName,
    platforms: Platforms('to promote it to'),
    expires_in_hours: promoteBuild.body!.properties.expires_in_hours,
  }),
  output: ChannelChange,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['unknownBuild', 'notFound', 'notClean'],
  mcp: {
    tool: 'promote_version',
    when: 'Use it when the user asks to release a version on a channel. Call list_channels first to see what it replaces.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const undoChannelChange = defineOperation({
  id: 'channels.undo',
  summary: 'Undo the last change of a channel: it offers what it offered before, on all platforms of the change',
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/undo',
  access: 'account',
  role: 'developer',
  params: ChannelParams,
  body: Type.Object({ change_uid: Uuid }),
  output: ChannelChange,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['notFound', 'channelMoved', 'noEarlierBuild'],
  mcp: {
    tool: 'undo_channel_change',
    when: 'Use it when the user asks to undo a promotion or a rollback. list_channels has the change_uid of the last change of each channel.',
    scope: 'mcp:write',
    destructive: true,
  },
});

const ToolParams = Type.Object({ channel: ChannelName });

export const listToolChannels = defineOperation({
  id: 'channels.listWithKey',
  summary: "List what each channel of the deploy key's game offers on each platform",
  method: 'GET',
  path: '/tool/channels',
  access: 'deploy_key',
  role: 'developer',
  uploadScope: 'channels',
  output: Type.Object({ channels: Type.Array(ChannelPointer), withdrawn: WithdrawnBuilds }),
  statuses: [200],
  errors: [],
});

export const promoteWithKey = defineOperation({
  id: 'channels.promoteWithKey',
  summary: "Promote a build of the deploy key's game: the channel offers it on the build's platform",
  method: 'POST',
  path: '/tool/channels/{channel}/promote',
  access: 'deploy_key',
  role: 'developer',
  uploadScope: 'channels',
  params: ToolParams,
  body: promoteBuild.body!,
  output: ChannelPointer,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['unknownBuild', 'notClean'],
});

export const promoteVersionWithKey = defineOperation({
  id: 'channels.promoteVersionWithKey',
  summary:
    "Promote a version of the deploy key's game: the channel offers its builds on all their platforms, or on none",
  method: 'POST',
  path: '/tool/channels/{channel}/promote-version',
  access: 'deploy_key',
  role: 'developer',
  uploadScope: 'channels',
  params: ToolParams,
  body: promoteVersion.body!,
  output: ChannelChange,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['unknownBuild', 'notClean'],
});

export const rollbackWithKey = defineOperation({
  id: 'channels.rollbackWithKey',
  summary: "Roll a channel of the deploy key's game back to the build it offered before",
  method: 'POST',
  path: '/tool/channels/{channel}/rollback',
  access: 'deploy_key',
  role: 'developer',
  uploadScope: 'channels',
  params: ToolParams,
  body: rollbackChannel.body!,
  output: ChannelChange,
  statuses: [200],
  invalid: 'invalidChannel',
  errors: ['noEarlierBuild'],
});

export const listChannelMoves = defineOperation({
  id: 'channels.history',
  summary: 'List the changes of a channel, newest first',
  method: 'GET',
  path: '/games/{uid}/channels/{channel}/history',
  access: 'account',
  role: 'viewer',
  params: ChannelParams,
  output: Type.Object({ moves: Type.Array(ChannelMove) }),
  statuses: [200],
  errors: ['notFound'],
});

export const joinBeta = defineOperation({
  id: 'channels.joinBeta',
  summary: "Join a game's beta, which gives you access to its beta channel",
  method: 'PUT',
  path: '/games/{uid}/beta',
  access: 'account',
  tokenScope: 'none',
  audit: false,
  params: GameParams,
  output: Type.Object({ joined: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});

export const leaveBeta = defineOperation({
  id: 'channels.leaveBeta',
  summary: "Leave a game's beta",
  method: 'DELETE',
  path: '/games/{uid}/beta',
  access: 'account',
  tokenScope: 'none',
  audit: false,
  params: GameParams,
  output: Type.Object({ joined: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});

export const listBetaMembers = defineOperation({
  id: 'channels.betaMembers',
  summary: "List the members of a game's beta, most recent first",
  method: 'GET',
  path: '/games/{uid}/beta/members',
  access: 'account',
  tokenScope: 'games:read',
  role: 'developer',
  params: GameParams,
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({
    members: Type.Array(
      Type.Object({
        user_id: Type.String(),
        name: Type.String({ description: "The player's name" }),
        joined_at: Timestamp,
      }),
    ),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const removeBetaMember = defineOperation({
  id: 'channels.removeBetaMember',
  summary: "Remove a player from a game's beta; they can join again",
  method: 'DELETE',
  path: '/games/{uid}/beta/members/{user_id}',
  access: 'account',
  tokenScope: 'games:write',
  role: 'admin',
  params: Type.Object({ uid: GameRef, user_id: Type.String({ maxLength: 64 }) }),
  output: Type.Object({ removed: Type.Boolean({ description: 'false if they were not a member' }) }),
  statuses: [200],
  errors: ['notFound'],
});
