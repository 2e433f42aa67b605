// What the holder of a deploy key, or a developer, needs to know to ship builds of a game.
import Type from 'typebox';
import { ArchName, OsName } from '../identity.ts';
import { defineOperation } from '../operation.ts';
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
  summary: 'The game of the deploy key, its addresses and its recent builds; never a secret',
  method: 'GET',
  path: '/tool/info',
  access: 'deploy_key',
  output: Type.Object({
    ...DeployInfo.properties,
    key_ref: Type.String(),
    game_uid: Uuid,
    url: Type.String({ description: 'Of the game’s page on the website' }),
    status: Type.Enum(['draft', 'published'], { description: 'draft: only its developers see it' }),
    builds: Type.Integer({ description: 'How many there are' }),
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
      { description: 'What keeps the game from being listed' },
    ),
    media: Type.Object({
      cover: Nullable(Type.String({ description: 'Address of the image' })),
      thumbnail: Nullable(Type.String({ description: 'Address of the image' })),
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
    'What a game’s builds need to be shipped: addresses, headers of crash reports, recent builds and the prefixes of its deploy keys; never a secret',
  method: 'GET',
  path: '/games/{uid}/deploy-info',
  access: 'account',
  params: GameParams,
  output: Type.Object({
    ...DeployInfo.properties,
    auth: Type.Object({
      crash_headers: Type.Record(Type.String(), Type.String(), {
        description: 'What crash reports and events carry; the build id is each build’s own',
      }),
    }),
    deploy_keys: Type.Array(KeyRecord),
  }),
  statuses: [200],
  errors: [4040],
  mcp: { tool: 'get_deploy_info', scope: 'mcp:read' },
});
