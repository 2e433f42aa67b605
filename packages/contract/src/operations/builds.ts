// Builds: registered with the deploy key, listed by the CLI and the website.
import Type from 'typebox';
import {
  ArchInput,
  ArchName,
  BuildType,
  ChannelName,
  CommitName,
  EngineVersion,
  OsInput,
  OsName,
  VersionName,
} from '../identity.ts';
import { LIMITS, MIB } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import {
  BuildParams,
  CursorQuery,
  GameParams,
  Line,
  NextCursor,
  Nullable,
  PageInfo,
  PageQuery,
  Text,
  Timestamp,
  Uuid,
} from './fields.ts';
import { FileOrigin, FileSummary, ReusedParts, ScanEvent } from './files.ts';

export const ChangelogItem = Type.Object({
  title: Line('change', { minLength: 1, maxLength: LIMITS.titleLength }),
  description: Type.Optional(Text('details', { maxLength: LIMITS.descriptionLength })),
});

const OtherProgram = {
  app: Type.Optional(
    Type.String({ maxLength: LIMITS.titleLength, description: 'Accepted only if it names the game itself' }),
  ),
  app_name: Type.Optional(Type.String({ maxLength: LIMITS.titleLength, description: 'Same as app' })),
};

export const Registration = Type.Object({
  version: VersionName,
  build_type: Type.Optional(BuildType),
  os: OsInput,
  arch: ArchInput,
  channel: Type.Optional(ChannelName),
  title: Type.Optional(Line('title', { maxLength: LIMITS.titleLength })),
  description: Type.Optional(Text('description', { maxLength: LIMITS.descriptionLength })),
  changelog_items: Type.Optional(Type.Array(ChangelogItem, { maxItems: LIMITS.changelogItems })),
  engine_version: Type.Optional(EngineVersion),
  commit: Type.Optional(CommitName),
  ...OtherProgram,
});

const identity = {
  build_id: Uuid,
  version: Type.String(),
  build_type: Type.String(),
  os: OsName,
  arch: ArchName,
  channel: Type.String(),
  title: Type.String(),
};

export const BuildState = Type.Enum(['registered', 'processing', 'ready', 'rejected']);

export const BuildRecord = Type.Object({
  ...identity,
  description: Type.String(),
  engine_version: Nullable(Type.String()),
  commit: Nullable(Type.String({ description: 'The commit of the source code that it was built from' })),
  changelog_items: Type.Array(Type.Object({ title: Type.String(), description: Type.String() })),
  state: BuildState,
  created_at: Timestamp,
  updated_at: Timestamp,
  /** The newest file, whatever the result of its scan. */
  file: Nullable(FileSummary),
  downloads: Type.Integer({ description: 'How often players downloaded its files' }),
});

/** A build as its developers see it: the newest file is with the one who uploaded it. */
const GameBuild = Type.Object({
  ...BuildRecord.properties,
  file: Nullable(
    Type.Object({
      ...FileSummary.properties,
      origin: FileOrigin,
      upload_token: Nullable(Type.String({ description: 'The name of the upload token; null if none was used' })),
    }),
  ),
});

export const BUILD_ORDERS = ['registered', 'downloads', 'size'] as const;
export type BuildOrder = (typeof BUILD_ORDERS)[number];

const filters = {
  version: Type.Optional(VersionName),
  os: Type.Optional(OsInput),
  arch: Type.Optional(ArchInput),
  channel: Type.Optional(ChannelName),
};

const ToolBuild = Type.Object({
  ...BuildRecord.properties,
  app_id: Uuid,
  files: Type.Array(FileSummary, { description: 'Newest first, at most 20' }),
  symbols: Type.Integer({ description: 'Number of symbol files' }),
});

export const registerBuild = defineOperation({
  id: 'builds.register',
  summary: 'Register a build, or update the build with the same version, type, platform and channel',
  method: 'POST',
  path: '/tool/upload/build',
  access: 'deploy_key',
  uploadScope: 'builds',
  role: 'developer',
  body: Registration,
  bodyLimit: 8 * MIB,
  output: Type.Object({ ...identity, app_id: Uuid, created: Type.Boolean() }),
  statuses: [201, 200],
  invalid: 'invalidBuild',
  errors: [],
  example: {
    body: { version: '1.4.0', os: 'linux', arch: 'x86_64', channel: 'beta', title: 'Autumn update' },
    answer: {
      build_id: '0199a1b2-7d4e-7c10-9f3a-5b6c7d8e9f01',
      version: '1.4.0',
      build_type: 'game',
      os: 'linux',
      arch: 'x86_64',
      channel: 'beta',
      title: 'Autumn update',
      app_id: '01998f20-1c2d-7e3f-8a4b-6c5d7e8f9a0b',
      created: true,
    },
  },
});

export const listBuilds = defineOperation({
  id: 'builds.list',
  summary: "List the builds of the deploy key's game, newest first",
  method: 'GET',
  path: '/tool/builds',
  access: 'deploy_key',
  uploadScope: 'any',
  role: 'developer',
  query: Type.Object({ ...filters, ...PageQuery }),
  // The page is also next to the list, where other clients expect it.
  output: Type.Object({ builds: Type.Array(ToolBuild), pagination: PageInfo, ...PageInfo.properties }),
  statuses: [200],
  errors: [],
});

export const listGameBuilds = defineOperation({
  id: 'builds.listOfGame',
  summary: "List a game's builds, newest first",
  method: 'GET',
  path: '/games/{uid}/builds',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    ...filters,
    state: Type.Optional(BuildState),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.titleLength,
        description: 'Part of a version or title, case-insensitive',
      }),
    ),
    sort: Type.Optional(
      Type.Enum([...BUILD_ORDERS], {
        description:
          'The order, latest or highest first; registered by default. The other orders have pages, but no cursor',
      }),
    ),
    ...PageQuery,
    ...CursorQuery,
  }),
  output: Type.Object({ builds: Type.Array(GameBuild), pagination: PageInfo, next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_game_builds',
    when: 'Use it to find the build_id that other tools need, for example by its version, or to see whether the scan of an upload has finished.',
    scope: 'mcp:read',
    without: ['page', 'page_size', 'sort'],
  },
});

export const getGameBuild = defineOperation({
  id: 'builds.get',
  summary: 'Get a build with its 20 newest files and their scan results',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  output: Type.Object({
    ...BuildRecord.properties,
    files: Type.Array(
      Type.Object({
        ...FileSummary.properties,
        origin: FileOrigin,
        upload_token: Type.Optional(
          Nullable(Type.String({ description: 'The name of the upload token; null if none was used' })),
        ),
        reused: ReusedParts,
        scans: Type.Array(ScanEvent, { description: 'Oldest first' }),
      }),
    ),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
});
