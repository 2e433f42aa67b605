// Everything a CI job or a developer needs to know to ship builds of a game.
import Type from 'typebox';
import { ArchName, OsName } from '../identity.ts';
import { defineOperation, UPLOAD_SCOPES } from '../operation.ts';
import { KeyRecord } from './deploy-keys.ts';
import { GameParams, Nullable, Timestamp, Uuid } from './fields.ts';
import { Usage } from './usage.ts';

const DeployInfo = Type.Object({
  app_id: Uuid,
  name: Type.String(),
  slug: Type.String(),
  visibility: Type.String(),
  owner_verified: Type.Boolean(),
  urls: Type.Object({ api: Type.String(), upload: Type.String(), crashes: Type.String(), events: Type.String() }),
  limits: Type.Object({
    uploads_per_hour: Type.Integer(),
    chunks_per_hour: Type.Integer(),
    open_sessions: Type.Integer(),
    file_bytes: Type.Integer(),
  }),
  usage: Usage,
  recent_builds: Type.Array(
    Type.Object({
      build_id: Uuid,
      version: Type.String(),
      os: Type.String(),
      arch: Type.String(),
      channel: Type.String(),
      state: Type.String(),
      created_at: Timestamp,
    }),
  ),
});

export const getDeployInfo = defineOperation({
  id: 'deployInfo.get',
  summary: "Get the deploy key's game with its URLs and recent builds; never returns a secret",
  method: 'GET',
  path: '/tool/info',
  access: 'deploy_key',
  uploadScope: 'any',
  role: 'developer',
  output: Type.Object({
    ...DeployInfo.properties,
    key_ref: Type.String({ description: 'The first characters of the deploy key, upload token or key of the login' }),
    user: Nullable(Type.String({ description: 'The person whose login was used; null for a deploy key' })),
    token: Type.Optional(
      Nullable(
        Type.Object(
          {
            name: Type.String(),
            scopes: Type.Array(Type.Enum(UPLOAD_SCOPES)),
            expires_at: Nullable(Timestamp),
          },
          { description: 'The upload token that was used; null for a deploy key or a login' },
        ),
      ),
    ),
    game_uid: Uuid,
    url: Type.String({ description: "The game's page on the website" }),
    status: Type.Enum(['draft', 'published'], { description: 'draft: visible only to its developers' }),
    builds: Type.Integer({ description: 'Number of builds' }),
    channels: Type.Array(
      Type.Object({
        channel: Type.String(),
        os: OsName,
        arch: ArchName,
        build_id: Uuid,
        version: Type.String(),
      }),
      { description: 'What each channel offers now' },
    ),
    lint: Type.Object(
      {
        ready: Type.Boolean(),
        errors: Type.Array(Type.Object({ rule: Type.String(), message: Type.String(), remedy: Type.String() })),
        warnings: Type.Array(Type.Object({ message: Type.String() })),
      },
      { description: 'What is left to do before the game can be listed' },
    ),
    media: Type.Object({
      cover: Nullable(Type.String({ description: 'URL of the image' })),
      thumbnail: Nullable(Type.String({ description: 'URL of the image' })),
      gallery: Type.Array(Type.Object({ uid: Uuid, url: Type.String(), position: Type.Integer() })),
      gallery_max: Type.Integer(),
    }),
  }),
  statuses: [200],
  errors: [],
});

export const getGameDeployInfo = defineOperation({
  id: 'deployInfo.ofGame',
  summary:
    'Get what is needed to ship builds: URLs, headers for crash reports, recent builds and key prefixes; never returns a secret',
  method: 'GET',
  path: '/games/{uid}/deploy-info',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({
    ...DeployInfo.properties,
    auth: Type.Object({
      crash_headers: Type.Record(Type.String(), Type.String(), {
        description: 'Headers for crash reports and events; each build has its own build id',
      }),
    }),
    deploy_keys: Type.Array(KeyRecord),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_deploy_info',
    when: 'Use it to set up CI, the CLI or crash reporting for a game.',
    scope: 'mcp:read',
  },
});
