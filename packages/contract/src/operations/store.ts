// The store page of a game: what a player can see and download, and the provenance of each file.
import Type from 'typebox';
import { ArchName, ChannelName, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import {
  FilePairParams,
  FileParams,
  Foreign,
  GameParams,
  NextCursor,
  Nullable,
  ReferrerQuery,
  RoleName,
  Sha256,
  Timestamp,
  Uuid,
  WholeQuery,
} from './fields.ts';
import { FileOrigin, FileSummary, ReusedParts, ScanEvent, ScanStateName } from './files.ts';
import { GameFacts, GameRecord, GameTexts, Visibility } from './games.ts';
import { BandName } from './health.ts';
import { MediaImage } from './media.ts';
import { ShelfGame } from './shelves.ts';
import { PublicVideo } from './videos.ts';

const Change = { title: Type.String(), description: Type.String() };

const Offer = Type.Object({
  channel: Type.String(),
  os: OsName,
  arch: ArchName,
  build_id: Uuid,
  version: Type.String(),
  title: Type.String(),
  changelog_items: Type.Array(Type.Object(Change)),
  expires_at: Nullable(Timestamp),
  file: FileSummary,
  origin: FileOrigin,
  scanned_at: Type.String({ description: 'When the last scan finished or failed, in ISO 8601' }),
  download_url: Type.String(),
  provenance_url: Type.String(),
});

export const getPublicGame = defineOperation({
  id: 'store.game',
  summary: 'Get a game as the caller sees it: channels, platforms and files',
  method: 'GET',
  path: '/public/games/{uid}',
  access: 'public',
  tokenScope: 'games:read',
  params: GameParams,
  query: Type.Object({
    channel: Type.Optional(ChannelName),
    preview: Type.Optional(
      Type.Enum(['draft'], { description: 'Shows members the draft of the listing instead of what is published' }),
    ),
  }),
  output: Type.Object({
    game_uid: Uuid,
    slug: Type.String(),
    name: Type.String(),
    developer: Type.String(),
    developer_handle: Nullable(
      Type.String({ description: "Handle of the developer's page, /@{handle}; null if they have none" }),
    ),
    ...GameTexts.properties,
    ...GameFacts.properties,
    visibility: Visibility,
    published_at: GameRecord.properties.published_at,
    health: BandName,
    launch: ShelfGame.properties.launch,
    role: Nullable({ ...RoleName, description: "The caller's role; null for players" }),
    channels: Type.Array(Type.String(), { description: 'Channels with a download that are visible to the caller' }),
    beta: Type.Object({
      offered: Type.Boolean({ description: 'Whether the beta channel has a download' }),
      joined: Type.Boolean({ description: 'Whether the caller joined the beta' }),
    }),
    guest_bugs: Type.Boolean({ description: 'Whether players without an account can file bug tickets' }),
    downloads: Type.Array(Offer),
    cover: Nullable(MediaImage),
    thumbnail: Nullable(MediaImage),
    gallery: Type.Array(MediaImage),
    video_files: Type.Array(PublicVideo, {
      maxItems: LIMITS.videoFiles,
      description: 'Uploaded videos that passed their scan',
    }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

const HavingPlatforms = Nullable(
  Type.Array(Type.Object({ os: OsName, arch: ArchName }), { description: 'The platforms that have it; null for all' }),
);

const Release = Type.Object({
  version: Type.String(),
  title: Type.String({ description: 'The first of the titles; empty without one' }),
  titles: Type.Array(Type.Object({ title: Type.String(), platforms: HavingPlatforms }), {
    description: 'More than one if the builds for different platforms have different titles',
  }),
  changelog_items: Type.Array(Type.Object({ ...Change, platforms: HavingPlatforms })),
  released_at: Type.String({ description: 'When stable first offered the version on a platform, in ISO 8601' }),
  platforms: Type.Array(
    Type.Object({ os: OsName, arch: ArchName, size: Type.Integer({ description: 'Bytes of the zip' }) }),
  ),
});

export const listReleases = defineOperation({
  id: 'store.releases',
  summary: 'List the versions that stable has offered, newest first, without temporary promotions and rollbacks',
  method: 'GET',
  path: '/public/games/{uid}/releases',
  access: 'public',
  tokenScope: 'builds:read',
  params: GameParams,
  query: Type.Object(WholeQuery),
  output: Type.Object({
    first_released_at: Nullable(Type.String({ description: 'When the first version was released, in ISO 8601' })),
    total: Type.Integer({ description: `All releases. The newest ${LIMITS.releasesListed} can be listed.` }),
    releases: Type.Array(Release),
    next_cursor: Type.Optional(NextCursor),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const listSimilar = defineOperation({
  id: 'store.similar',
  summary: `List up to ${LIMITS.similarGames} public games that share the most tags with a game; the same for every caller`,
  method: 'GET',
  path: '/public/games/{uid}/similar',
  access: 'public',
  params: GameParams,
  output: Type.Object({
    games: Type.Array(ShelfGame, {
      maxItems: LIMITS.similarGames,
      description: 'Games with the most shared tags first; only games that meet the rules for shelves',
    }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const renderMarkdown = defineOperation({
  id: 'store.renderMarkdown',
  summary: 'Render Markdown as the page of a game shows its description',
  method: 'POST',
  path: '/markdown',
  access: 'account',
  tokenScope: 'games:read',
  body: Type.Object({ text: GameTexts.properties.description }),
  output: Type.Object({
    html: Type.String({
      description:
        'HTML of a few elements, without attributes except for the addresses of links, which lead to websites only',
    }),
  }),
  statuses: [200],
  errors: ['limitReached'],
  audit: false,
});

export const FileEntry = Type.Object({
  path: Foreign(Type.String()),
  type: Type.Enum(['file', 'folder', 'symlink']),
  size: Type.Integer({ description: 'Unpacked bytes' }),
  sha256: Nullable(Sha256),
});

export const Provenance = Type.Object({
  file_uid: Uuid,
  game_uid: Uuid,
  build_id: Uuid,
  version: Type.String(),
  os: OsName,
  arch: ArchName,
  channel: Type.String(),
  filename: Foreign(Type.String()),
  download_name: Foreign(
    Type.String({ description: 'The name of the download, which begins with the slug of the game' }),
  ),
  size: Type.Integer(),
  checksum: Sha256,
  uploaded_at: Timestamp,
  origin: FileOrigin,
  reused: ReusedParts,
  scan: Type.Object({ state: ScanStateName, history: Type.Array(ScanEvent) }),
  entries: Type.Array(FileEntry),
});

export const getProvenance = defineOperation({
  id: 'store.provenance',
  summary: 'Get the provenance of a file: its upload, its scans, and each entry of the zip with its SHA-256',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/provenance',
  access: 'public',
  tokenScope: 'builds:read',
  params: FileParams,
  query: Type.Object(WholeQuery),
  output: Type.Object({
    ...Provenance.properties,
    next_cursor: Type.Optional(NextCursor),
  }),
  statuses: [200],
  errors: ['notFound', 'notOnChannel'],
  mcp: {
    tool: 'get_build_provenance',
    when: 'Use it to check that a file is clean and complete before it is released, or to see what a zip contains.',
    scope: 'mcp:read',
  },
});

export const downloadByLink = defineOperation({
  id: 'store.downloadByLink',
  summary: 'Download a zip by the signed link to which downloads redirect when there is a CDN',
  method: 'GET',
  path: '/public/downloads/{token}',
  access: 'public',
  // A CDN asks for all players from few addresses.
  asset: true,
  params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
  answerTypes: ['application/zip'],
  statuses: [200, 206, 304],
  errors: ['notFound'],
});

export const downloadFile = defineOperation({
  id: 'store.download',
  summary: 'Download the zip, with range requests; redirects to a signed URL with S3 or a CDN',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/download',
  access: 'public',
  tokenScope: 'builds:read',
  params: FileParams,
  query: ReferrerQuery,
  answerTypes: ['application/zip'],
  statuses: [200, 206, 302, 304],
  errors: ['notFound', 'notOnChannel', 'notClean'],
});

export const getManifest = defineOperation({
  id: 'store.manifest',
  summary: 'Get the signed manifest of a zip: its entries and blocks, for clients that fetch only what changed',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/manifest',
  access: 'public',
  tokenScope: 'builds:read',
  params: FileParams,
  answerTypes: ['application/vnd.chauffeur.manifest'],
  statuses: [200, 206, 304],
  errors: ['notFound', 'notOnChannel', 'notClean'],
});

export const getPatch = defineOperation({
  id: 'store.patch',
  summary:
    'Download the patch pack from an installed file to another one, with range requests; redirects to a signed URL with S3',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/patches/{from_file_uid}',
  access: 'public',
  tokenScope: 'builds:read',
  params: FilePairParams,
  answerTypes: ['application/octet-stream'],
  statuses: [200, 206, 302, 304],
  errors: ['notFound', 'notOnChannel', 'notClean'],
});

export const getManifestDifference = defineOperation({
  id: 'store.manifestDifference',
  summary: 'Get the difference between the manifests of an installed file and another one',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/manifest-differences/{from_file_uid}',
  access: 'public',
  tokenScope: 'builds:read',
  params: FilePairParams,
  answerTypes: ['application/octet-stream'],
  statuses: [200, 206, 304],
  errors: ['notFound', 'notOnChannel', 'notClean'],
});
