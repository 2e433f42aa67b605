// Versions of a game: all builds with the same version, on the platforms that it was built for.
import Type from 'typebox';
import { ArchName, ChannelName, OsName, VersionName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { BuildState } from './builds.ts';
import { Platforms } from './channels.ts';
import { GROUP_STATUSES } from './crash-groups.ts';
import { MissingModule } from './crash-reports.ts';
import { CursorQuery, Foreign, GameParams, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';
import { FileSummary } from './files.ts';
import { BandName } from './health.ts';

/** A version can contain any characters, even only dots, so it is never a part of a path. */
const VersionQuery = { version: VersionName };

const Launch = {
  band: BandName,
  devices: Type.Integer({ description: 'Distinct devices of the last 30 days; a device counts once for each build' }),
  booted: Type.Integer({ description: 'Devices that sent boot_ok in these days' }),
  crashed_on_boot: Type.Integer({ description: 'Devices that crashed in these days before their first boot_ok' }),
};

const LaunchHealth = Type.Object(Launch, { description: 'Launch health over all builds of the version' });

const VersionBuild = Type.Object({
  build_id: Uuid,
  os: OsName,
  arch: ArchName,
  build_type: Type.String(),
  channel: Type.String({ description: 'The channel that it was registered for' }),
  state: BuildState,
  size: Nullable(Type.Integer({ description: 'Size of its newest file in bytes; null without a file' })),
});

const Offer = Type.Object({
  channel: Type.String(),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  expires_at: Nullable(Timestamp),
  moved_at: Timestamp,
});

const RegisteredAt = { ...Timestamp, description: 'When its first build was registered' };

const identity = {
  version: Type.String(),
  registered_at: RegisteredAt,
  build_count: Type.Integer({ description: 'Number of its builds, including builds that are not in `builds`' }),
};

const VersionSummary = Type.Object({
  ...identity,
  builds: Type.Array(VersionBuild, {
    description: `By platform, the newest first on each; at most ${LIMITS.versionBuildsListed}`,
  }),
  channels: Type.Array(Offer, { description: 'What channels offer of it now, by channel and platform' }),
  downloads: Type.Integer({ description: 'How often players downloaded its builds' }),
  notes: Nullable(
    Type.String({ description: 'The first line of the notes of its newest build with notes; null if there are none' }),
  ),
  launch: LaunchHealth,
});

const VersionList = Type.Object({ versions: Type.Array(VersionSummary), next_cursor: NextCursor });

const versionFilters = {
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.titleLength,
      description: 'Part of the version, or of the title of one of its builds, case-insensitive',
    }),
  ),
  channel: Type.Optional({
    ...ChannelName,
    description: 'Only versions that this channel offers, or with a build that was registered for it',
  }),
  ...CursorQuery,
};

export const listVersions = defineOperation({
  id: 'versions.list',
  summary: 'List the versions of a game, most recently registered first',
  method: 'GET',
  path: '/games/{uid}/versions',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object(versionFilters),
  output: VersionList,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_versions',
    when: 'Use it to see which versions a game has, on which platforms and channels, and how well they start.',
    scope: 'mcp:read',
  },
});

export const listVersionsWithKey = defineOperation({
  id: 'versions.listWithKey',
  summary: "List the versions of the deploy key's game, most recently registered first",
  method: 'GET',
  path: '/tool/versions',
  access: 'deploy_key',
  uploadScope: 'any',
  role: 'developer',
  query: Type.Object(versionFilters),
  output: VersionList,
  statuses: [200],
  errors: [],
});

const Share = (of: string) =>
  Type.Object(
    {
      rate: Nullable(Type.Number({ description: '0 to 1; null without data' })),
      low: Nullable(Type.Number({ description: 'The lower end of the 95% confidence interval' })),
      high: Nullable(Type.Number({ description: 'The upper end' })),
    },
    { description: of },
  );

const CrashFree = Type.Object(
  {
    since: Type.String({
      description: 'The first day that is counted (UTC): of the last 30, or after the update to a server that counts',
    }),
    devices: Type.Integer({ description: 'Distinct devices since then; a device counts once for each build' }),
    crashed_devices: Type.Integer({ description: 'Devices that crashed since then, at any time' }),
    device_rate: Share('Devices without a crash / devices'),
    sessions: Type.Integer({ description: 'Sessions since then' }),
    crashes: Type.Integer({ description: 'Crashes since then; each ends a session' }),
    sdk_sessions: Type.Integer({ description: "Sessions that Sentry's SDKs reported" }),
    session_rate: Share('Sessions without a crash / sessions'),
  },
  { description: 'Devices and sessions of the version without any crash' },
);

const AdoptionDay = Type.Object({
  day: Type.String({ description: 'UTC' }),
  devices: Type.Integer({ description: 'Devices that played the version on this day' }),
  crashed_devices: Type.Integer({ description: 'Devices of these that crashed' }),
  all_devices: Type.Integer({ description: 'Devices that played any version' }),
});

const DetailedBuild = Type.Object({
  ...VersionBuild.properties,
  title: Type.String(),
  engine_version: Nullable(Type.String()),
  commit: Nullable(Type.String()),
  registered_at: Timestamp,
  file: Nullable(FileSummary),
  downloads: Type.Integer(),
  symbols: Type.Integer({ description: 'Number of symbol files' }),
  missing_symbols: Type.Integer({
    description: 'Modules without symbols in its newest crash reports; of all modules in `missing_symbols`',
  }),
  launch: Type.Object(Launch),
});

const MissingSymbols = Type.Object({
  ...MissingModule.properties,
  crashes: Type.Integer({ description: 'Reports that need them' }),
  build_ids: Type.Array(Uuid, { description: 'Builds of the version with these reports' }),
});

const Commits = Type.Object(
  {
    build_id: { ...Uuid, description: 'A build of the version with a known commit' },
    commit: Type.String(),
    since: { ...Uuid, description: 'A build of the previous version with a known commit, on the same platform if any' },
    since_commit: Type.String(),
  },
  { description: 'What to pass to source.commits for the commits since the previous version' },
);

const details = {
  ...identity,
  previous: Nullable(
    Type.Object({ version: Type.String(), registered_at: RegisteredAt }, { description: 'The version before it' }),
  ),
  next: Nullable(
    Type.Object({ version: Type.String(), registered_at: RegisteredAt }, { description: 'The version after it' }),
  ),
  builds: Type.Array(DetailedBuild, {
    description: `By platform, the newest first on each; at most ${LIMITS.versionBuilds}, which are also what the numbers below are of`,
  }),
  deleted_builds: Type.Array(
    Type.Object({ build_id: Uuid, os: OsName, arch: ArchName, deleted_at: Timestamp, deleted_by: Type.String() }),
    { description: `Its deleted builds, newest first; at most ${LIMITS.versionBuilds}` },
  ),
  channels: VersionSummary.properties.channels,
  downloads: VersionSummary.properties.downloads,
  notes: Nullable(
    Type.Object(
      {
        title: Type.String(),
        description: Type.String(),
        changelog_items: Type.Array(Type.Object({ title: Type.String(), description: Type.String() })),
      },
      { description: 'The notes of its newest build with notes; null if there are none' },
    ),
  ),
  commits: Nullable(Commits),
  launch: Type.Object(
    {
      ...Launch,
      boot_rate: Share('booted / devices'),
      crash_rate: Share('crashed_on_boot / devices'),
    },
    { description: 'Launch health over its builds' },
  ),
  crash_free: CrashFree,
  adoption: Type.Array(AdoptionDay, { description: 'Days with devices of the game among the last 30, oldest first' }),
  missing_symbols: Type.Array(MissingSymbols, { description: 'Most frequent first, at most 50' }),
};

const VersionGroup = Type.Object({
  group_id: Uuid,
  title: Foreign(Type.String()),
  status: Type.Enum([...GROUP_STATUSES]),
  reports: Type.Integer({ description: 'Reports of the version, over all time' }),
  devices: Type.Integer({ description: 'Devices that sent reports of any version' }),
  first_seen: Timestamp,
  last_seen: Timestamp,
});

const VersionGroups = (which: string) =>
  Type.Object(
    { count: Type.Integer({ description: 'Number of groups' }), groups: Type.Array(VersionGroup) },
    { description: `${which}: how many, and up to ${LIMITS.versionGroups} with the most reports` },
  );

export const getVersion = defineOperation({
  id: 'versions.get',
  summary: 'Get a version: its builds, the channels that offer it, its health, its crashes and its adoption',
  method: 'GET',
  path: '/games/{uid}/version',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object(VersionQuery),
  output: Type.Object({
    ...details,
    new_groups: VersionGroups('Crash groups without reports of builds that were registered before the version'),
    fixed_groups: VersionGroups('Crash groups that are resolved in this version'),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'get_version',
    when: 'Use it to judge a version as a whole before you promote it, roll it back or delete it.',
    scope: 'mcp:read',
  },
});

export const getVersionWithKey = defineOperation({
  id: 'versions.getWithKey',
  summary: "Get a version of the deploy key's game, with the numbers of its new and fixed crash groups",
  method: 'GET',
  path: '/tool/version',
  access: 'deploy_key',
  uploadScope: 'any',
  role: 'developer',
  query: Type.Object(VersionQuery),
  output: Type.Object({
    ...details,
    new_groups: Type.Object({ count: Type.Integer() }),
    fixed_groups: Type.Object({ count: Type.Integer() }),
  }),
  statuses: [200],
  errors: ['unknownBuild'],
});

const platform = { os: OsName, arch: ArchName };
const ChosenBuilds = Type.Array(Type.Object({ build_id: Uuid, ...platform }), {
  description: `The builds, at most ${LIMITS.versionBuilds}`,
});

export const getVersionDeletion = defineOperation({
  id: 'versions.deletion',
  summary: 'Preview the consequences of deleting a version, or its builds for some platforms',
  method: 'GET',
  path: '/games/{uid}/version/deletion',
  access: 'account',
  role: 'developer',
  params: GameParams,
  query: Type.Object({
    ...VersionQuery,
    platforms: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]{1,16}/[a-z0-9_]{1,16}(,[a-z0-9]{1,16}/[a-z0-9_]{1,16}){0,63}$',
        description: 'Platforms such as `linux/x86_64,windows/x86_64`; all by default',
      }),
    ),
  }),
  output: Type.Object({
    version: Type.String(),
    builds: ChosenBuilds,
    channels: Type.Array(Type.Object({ channel: Type.String(), ...platform, expires_at: Nullable(Timestamp) }), {
      description: 'Channels that offer one of the builds now and would offer nothing on its platform',
    }),
    touches_players: Type.Boolean({ description: 'Whether players on stable would lose a download' }),
    files: Type.Integer(),
    bytes: Type.Integer({ description: 'Total size of the files' }),
    symbols: Type.Integer({ description: 'Number of symbol files' }),
    upload_sessions: Type.Integer({ description: 'Uploads in progress, which would be aborted' }),
    crash_reports: Type.Integer({ description: 'Crash reports of the builds; they are kept' }),
    devices_30_days: Type.Integer({ description: 'Devices that sent events from the builds in the last 30 days' }),
    consequences: Type.Array(Type.String(), { description: 'The consequences in sentences' }),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
});

export const deleteVersion = defineOperation({
  id: 'versions.delete',
  summary: 'Delete all builds of a version, or those for some platforms, with their files and symbols, or none of them',
  method: 'POST',
  path: '/games/{uid}/version/deletion',
  access: 'account',
  role: 'developer',
  params: GameParams,
  body: Type.Object({
    version: VersionName,
    platforms: Platforms('whose builds to delete'),
    build_ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: LIMITS.versionBuilds,
        description: 'Only these builds of the version; a platform can have several, for separate channels or types',
      }),
    ),
  }),
  output: Type.Object({
    version: Type.String(),
    builds: ChosenBuilds,
    channels: Type.Array(Type.Object({ channel: Type.String(), ...platform }), {
      description: 'Channels that offered one of the builds and now offer nothing on its platform',
    }),
    files: Type.Integer({ description: 'Number of deleted files' }),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'delete_version',
    when: 'Use it only when the user asks to remove a version permanently. To stop offering it, use promote_version with another version or rollback_channel instead.',
    scope: 'mcp:write',
    without: ['build_ids'],
    destructive: true,
  },
});
