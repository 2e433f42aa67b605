// Usage: how much of its limits a game has used. Quotas: the limits that operators set for single games.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CursorQuery, GameParams, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

/** From this share of a limit on, the website shows a notice and the owner gets an email. */
export const USAGE_NOTICE = 0.8;

const Used = (unit: string) =>
  Type.Object({
    used: Type.Integer({ description: unit }),
    limit: Type.Integer({ description: `${unit}; 0: no limit` }),
  });

export const Usage = Type.Object({
  storage: Type.Object({
    used_bytes: Type.Integer({ description: 'Sum of the six values below' }),
    limit_bytes: Type.Integer({ description: '0: no limit' }),
    builds_bytes: Type.Integer({ description: 'Files of builds, except rejected ones' }),
    sessions_bytes: Type.Integer({ description: 'Reserved by open upload sessions, at their full size' }),
    symbols_bytes: Type.Integer({ description: 'Symbol files as stored: compressed and compiled' }),
    event_files_bytes: Type.Integer({ description: 'Files of raw events' }),
    videos_bytes: Type.Integer({ description: 'Videos, except rejected ones' }),
    patches_bytes: Type.Integer({ description: 'Patches for updates, which make room for uploads' }),
  }),
  crashes_today: Type.Object(
    {
      reports: Used('reports'),
      files: Used('dumps and logs'),
      bytes: Used('bytes as stored'),
      resets_at: Timestamp,
    },
    { description: 'In the current UTC day' },
  ),
});

export const getUsage = defineOperation({
  id: 'usage.get',
  summary: "Get a game's usage of its storage limit and its daily limits for crash reports",
  method: 'GET',
  path: '/games/{uid}/usage',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Usage,
  statuses: [200],
  errors: ['notFound'],
});

// Quotas: the storage of all games as operators see it, and the limits of a game.

/** The largest value of the settings that a quota replaces. */
export const MAX_QUOTA_MB = 1_000_000_000;

const QuotaMb = Nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_QUOTA_MB,
    description: 'MiB; 0 for no limit, null for the setting of the server',
  }),
);

const LimitBytes = Type.Integer({ description: 'The active limit; 0: no limit' });

const GameStorage = Type.Object({
  game_uid: Uuid,
  slug: Type.String(),
  name: Type.String(),
  owner: Type.String({ description: 'Email address of the owner' }),
  builds_bytes: Type.Integer({ description: 'Files of builds, except rejected ones' }),
  sessions_bytes: Type.Integer({ description: 'Reserved by open upload sessions' }),
  symbols_bytes: Type.Integer({ description: 'Symbol files as stored' }),
  event_files_bytes: Type.Integer({ description: 'Files of raw events' }),
  videos_bytes: Type.Integer({ description: 'Videos, except rejected ones' }),
  patches_bytes: Type.Integer({ description: 'Patches for updates' }),
  used_bytes: Type.Integer({
    description: 'What the storage quota counts: builds, sessions, symbols, event files, videos and patches',
  }),
  images_bytes: Type.Integer({ description: 'Store images, which no quota counts' }),
  crash_bytes: Type.Integer({ description: 'Dumps and logs that were stored in the current UTC day' }),
  storage_limit_bytes: LimitBytes,
  crash_limit_bytes: LimitBytes,
  storage_mb: QuotaMb,
  crash_mb: QuotaMb,
});

const QuotaChange = Type.Object({
  at: Timestamp,
  by: Nullable(Type.String({ description: 'Name of the operator; null for the command chauffeur-server' })),
  storage_mb: QuotaMb,
  crash_mb: QuotaMb,
});

const GameQuota = Type.Object({
  game: GameStorage,
  changes: Type.Array(QuotaChange, { description: 'The latest 20 changes, newest first' }),
  defaults: Type.Object({ storage_mb: Type.Integer(), crash_mb: Type.Integer() }, { description: 'In the settings' }),
});

export const listGameStorage = defineOperation({
  id: 'operator.games',
  summary: 'List the games by the storage that they use, largest first, optionally filtered by name or slug',
  method: 'GET',
  path: '/operator/games',
  access: 'operator',
  query: Type.Object({
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Part of a name or slug' })),
    ...CursorQuery,
  }),
  output: Type.Object({ games: Type.Array(GameStorage), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});

export const getGameQuota = defineOperation({
  id: 'operator.gameQuota',
  summary: 'Get the storage and the quotas of a game, and who changed them',
  method: 'GET',
  path: '/operator/games/{uid}/quota',
  access: 'operator',
  params: GameParams,
  output: GameQuota,
  statuses: [200],
  errors: ['notFound'],
});

export const setGameQuota = defineOperation({
  id: 'operator.setGameQuota',
  summary: 'Set the quotas of a game; what is already stored stays, even if it is more',
  method: 'PUT',
  path: '/operator/games/{uid}/quota',
  access: 'operator',
  params: GameParams,
  body: Type.Object({ storage_mb: QuotaMb, crash_mb: QuotaMb }),
  output: GameQuota,
  statuses: [200],
  errors: ['notFound'],
});
