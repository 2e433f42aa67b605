// Channels: which build each one points at on each platform, and the moves that changed it.
import Type from 'typebox';
import { ArchInput, ArchName, ChannelName, OsInput, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, GameParams, GameRef, NextCursor, Nullable, Timestamp, Uuid, WholeQuery } from './fields.ts';
import { ScanStateName } from './files.ts';

const ChannelParams = Type.Object({ uid: GameRef, channel: ChannelName });

export const ChannelPointer = Type.Object({
  channel: Type.String(),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  version: Type.String(),
  expires_at: Nullable(Timestamp),
  expired: Type.Boolean(),
  previous_build_id: Nullable({ ...Uuid, description: 'The build that a rollback leads to; null when there is none' }),
  moved_at: Timestamp,
});

export const ChannelMove = Type.Object({
  at: Timestamp,
  action: Type.Enum(['advance', 'promote', 'rollback', 'delete'], {
    description: '“delete”: the build was deleted, and the channel offers nothing',
  }),
  channel: Type.String(),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  version: Type.String(),
  previous_build_id: Nullable({ ...Uuid, description: 'The build that the channel pointed at before' }),
  expires_at: Nullable(Timestamp),
  by: Type.String({ description: 'Who moved it: a name, or “upload” for an automatic advance' }),
  deleted: Type.Boolean({ description: 'Whether the build is gone' }),
});

/** With what a developer asks before moving it. */
const ChannelPlace = Type.Object({
  ...ChannelPointer.properties,
  /** Of the file that it offers; null when it has none. */
  scan: Nullable(ScanStateName),
  /** Where a rollback would lead; null when there is nothing to go back to. */
  rollback_to: Nullable(Type.Object({ build_id: Uuid, version: Type.String() })),
});

export const listChannels = defineOperation({
  id: 'channels.list',
  summary: 'What every channel of a game points at, platform by platform',
  method: 'GET',
  path: '/games/{uid}/channels',
  access: 'account',
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
        version: Type.String({ description: 'Of the build that was deleted' }),
        emptied_at: Timestamp,
      }),
      { description: 'Where a channel offers nothing because its build was deleted' },
    ),
  }),
  statuses: [200],
  errors: [4040],
  mcp: { tool: 'list_channels', scope: 'mcp:read' },
});

export const promoteBuild = defineOperation({
  id: 'channels.promote',
  summary: 'Point a channel at a build for the build’s platform',
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/promote',
  access: 'account',
  params: ChannelParams,
  body: Type.Object({
    build_id: Type.String({ maxLength: 64 }),
    expires_in_hours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: LIMITS.promotionHours,
        description: 'Hours until the channel offers nothing; 0 never',
      }),
    ),
  }),
  output: ChannelPointer,
  statuses: [200],
  invalid: 4226,
  errors: [4006, 4040, 4099],
  mcp: { tool: 'promote_build', scope: 'mcp:write', destructive: true },
});

export const rollbackChannel = defineOperation({
  id: 'channels.rollback',
  summary: 'Point a channel back at the build that it pointed at before',
  method: 'POST',
  path: '/games/{uid}/channels/{channel}/rollback',
  access: 'account',
  params: ChannelParams,
  body: Type.Object({ os: Type.Optional(OsInput), arch: Type.Optional(ArchInput) }),
  output: Type.Object({ channels: Type.Array(ChannelPointer) }),
  statuses: [200],
  invalid: 4226,
  errors: [4040, 4075],
  mcp: { tool: 'rollback_channel', scope: 'mcp:write', destructive: true },
});

export const listChannelMoves = defineOperation({
  id: 'channels.history',
  summary: 'The moves of a channel, newest first: who, how, when',
  method: 'GET',
  path: '/games/{uid}/channels/{channel}/history',
  access: 'account',
  params: ChannelParams,
  output: Type.Object({ moves: Type.Array(ChannelMove) }),
  statuses: [200],
  errors: [4040],
});

export const joinBeta = defineOperation({
  id: 'channels.joinBeta',
  summary: 'Join a game’s beta, which makes its beta channel visible to you',
  method: 'PUT',
  path: '/games/{uid}/beta',
  access: 'account',
  params: GameParams,
  output: Type.Object({ joined: Type.Boolean() }),
  statuses: [200],
  errors: [4040],
});

export const leaveBeta = defineOperation({
  id: 'channels.leaveBeta',
  summary: 'Leave a game’s beta',
  method: 'DELETE',
  path: '/games/{uid}/beta',
  access: 'account',
  params: GameParams,
  output: Type.Object({ joined: Type.Boolean() }),
  statuses: [200],
  errors: [4040],
});

export const listBetaMembers = defineOperation({
  id: 'channels.betaMembers',
  summary: 'The players who joined a game’s beta, who came last first',
  method: 'GET',
  path: '/games/{uid}/beta/members',
  access: 'account',
  params: GameParams,
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({
    members: Type.Array(
      Type.Object({
        user_id: Type.String(),
        name: Type.String({ description: 'The player’s name' }),
        joined_at: Timestamp,
      }),
    ),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: [4040],
});

export const removeBetaMember = defineOperation({
  id: 'channels.removeBetaMember',
  summary: 'Take a player out of the beta of your game; they may join again',
  method: 'DELETE',
  path: '/games/{uid}/beta/members/{user_id}',
  access: 'account',
  params: Type.Object({ uid: GameRef, user_id: Type.String({ maxLength: 64 }) }),
  output: Type.Object({ removed: Type.Boolean({ description: 'false where they were no member' }) }),
  statuses: [200],
  errors: [4040],
});
