// The operator's view of the service: the state of its parts, failed jobs, accounts and settings.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CursorQuery, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

export const SERVICE_PARTS = ['queue', 'storage', 'scanner', 'database', 'mail', 'processes', 'symbols'] as const;

export const ServiceProblem = Type.Object({
  part: Type.Enum([...SERVICE_PARTS]),
  level: Type.Enum(['bad', 'unsure'], { description: 'bad: something does not work; unsure: it needs a check' }),
  says: Type.String(),
  remedy: Type.String(),
});

const JobKindState = Type.Object({
  task: Type.String(),
  lane: Nullable(
    Type.Enum(['quick', 'long', 'outgoing'], { description: 'null for a kind of job unknown to this version' }),
  ),
  waiting: Type.Integer({ description: 'Due jobs that no process has started yet' }),
  later: Type.Integer({ description: 'Jobs that are not due yet, such as retries' }),
  running: Type.Integer(),
  failed: Type.Integer({ description: 'Jobs that failed in all attempts' }),
  oldest_waiting_at: Nullable(Timestamp),
});

export const ServiceState = Type.Object({
  at: Timestamp,
  problems: Type.Array(ServiceProblem, { description: 'Current problems, the most severe first' }),
  queue: Type.Object({
    waiting: Type.Integer(),
    running: Type.Integer(),
    failed: Type.Integer(),
    oldest_waiting_at: Nullable(Timestamp),
    kinds: Type.Array(JobKindState),
  }),
  storage: Type.Object({
    kind: Type.Enum(['files', 's3']),
    reachable: Type.Boolean(),
    free_bytes: Nullable(Type.Integer({ description: 'Free on the disk of the data folder; null if unknown' })),
    total_bytes: Nullable(Type.Integer()),
    kept: Type.Array(
      Type.Object({
        what: Type.Enum(['builds', 'images', 'videos', 'symbols']),
        count: Type.Integer(),
        bytes: Type.Integer(),
      }),
    ),
  }),
  scanner: Type.Object({
    configured: Type.Boolean(),
    reachable: Type.Boolean(),
    engine: Nullable(Type.String()),
    signatures: Nullable(Type.String()),
    signatures_day: Nullable(Type.String({ description: 'Date of the signatures, such as 2026-11-20' })),
  }),
  database: Type.Object({
    version: Type.String(),
    embedded: Type.Boolean(),
    bytes: Type.Integer(),
    connections: Type.Integer(),
    most_connections: Type.Integer(),
    unsafe_settings: Type.Array(Type.String(), {
      description: 'Settings of PostgreSQL that are off, such as fsync, so a crash of its machine can lose data',
    }),
    migrations: Type.Integer(),
    newest_migration: Nullable(Type.String()),
    replica: Nullable(
      Type.Object(
        {
          state: Type.Enum(['ok', 'unreachable', 'behind', 'not a standby', 'distributed database']),
          lag_seconds: Nullable(Type.Number({ description: 'Maximum age of its data; null if unknown' })),
        },
        { description: 'The read replica, as this process sees it; null without one' },
      ),
    ),
  }),
  processes: Type.Array(
    Type.Object({
      process_no: Type.Integer(),
      role: Type.String(),
      started_at: Timestamp,
      takes_jobs: Type.Boolean(),
      alive: Type.Boolean(),
    }),
  ),
  mail: Type.Object({
    by: Type.Enum(['smtp', 'outbox']),
    held_today: Type.Integer({
      description: 'Emails of this UTC day that were not sent, because their recipients had too many',
    }),
  }),
  symbol_servers: Type.Object({
    waiting: Type.Integer({ description: 'Modules that wait to be looked up' }),
    failing: Type.Array(
      Type.Object({
        address: Type.String({ description: 'As in CHAUFFEUR_SYMBOL_SOURCES, without user and password' }),
        problem: Type.String(),
        paused_until: Nullable(Timestamp),
      }),
      { description: 'Symbol servers that have failed since they last responded' },
    ),
  }),
  totals: Type.Object({ users: Type.Integer(), games: Type.Integer(), builds: Type.Integer() }),
});

export const getServiceState = defineOperation({
  id: 'operator.state',
  summary: 'Get the state of the service: queue, storage, scanner, database and processes',
  method: 'GET',
  path: '/operator/state',
  access: 'operator',
  output: ServiceState,
  statuses: [200],
  errors: [],
});

export const FailedJob = Type.Object({
  job_id: Type.String(),
  task: Type.String(),
  tries: Type.Integer(),
  error: Nullable(Type.String({ description: 'Error of the last attempt, without email addresses' })),
  failed_at: Timestamp,
  created_at: Timestamp,
});

export const listFailedJobs = defineOperation({
  id: 'operator.failedJobs',
  summary: 'List the jobs that failed in all attempts, most recent first',
  method: 'GET',
  path: '/operator/jobs/failed',
  access: 'operator',
  query: Type.Object(CursorQuery),
  output: Type.Object({ jobs: Type.Array(FailedJob), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});

const JobId = Type.String({ pattern: '^[0-9]{1,18}$', description: 'a job id' });

export const retryJobs = defineOperation({
  id: 'operator.retryJobs',
  summary: 'Retry one failed job, or all of them, with the full number of attempts',
  method: 'POST',
  path: '/operator/jobs/retry',
  access: 'operator',
  body: Type.Object({ job_id: Type.Optional(JobId) }),
  output: Type.Object({ retried: Type.Integer() }),
  statuses: [200],
  errors: ['notFound'],
});

export const deleteFailedJob = defineOperation({
  id: 'operator.deleteJob',
  summary: 'Delete a failed job without running it',
  method: 'DELETE',
  path: '/operator/jobs/{job_id}',
  access: 'operator',
  params: Type.Object({ job_id: JobId }),
  output: Type.Object({ deleted: Type.Integer() }),
  statuses: [200],
  errors: ['notFound'],
});

export const OperatedUser = Type.Object({
  user_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  verified: Type.Boolean(),
  operator: Type.Boolean(),
  disabled_at: Nullable(Timestamp),
  second_factor: Type.Boolean({ description: 'Whether it has an authenticator app or a passkey' }),
  games: Type.Integer({ description: 'Number of games they own' }),
  sessions: Type.Integer({ description: 'Number of active sessions' }),
  created_at: Timestamp,
});

export const listUsers = defineOperation({
  id: 'operator.users',
  summary: 'List the accounts, newest first, optionally filtered by name or email',
  method: 'GET',
  path: '/operator/users',
  access: 'operator',
  query: Type.Object({
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: 'Part of a name or email' })),
    ...CursorQuery,
  }),
  output: Type.Object({ users: Type.Array(OperatedUser), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});

const UserParams = Type.Object({ user_id: Uuid });

export const verifyUser = defineOperation({
  id: 'operator.verifyUser',
  summary: "Mark an account's email address as verified",
  method: 'POST',
  path: '/operator/users/{user_id}/verify',
  access: 'operator',
  params: UserParams,
  output: OperatedUser,
  statuses: [200],
  errors: ['notFound'],
});

export const signUserOut = defineOperation({
  id: 'operator.signOut',
  summary: 'End all sessions of an account',
  method: 'POST',
  path: '/operator/users/{user_id}/sign-out',
  access: 'operator',
  params: UserParams,
  output: OperatedUser,
  statuses: [200],
  errors: ['notFound'],
});

export const disableUser = defineOperation({
  id: 'operator.disableUser',
  summary: 'Disable an account: it cannot sign in, and its sessions, personal keys, agents and commands stop working',
  method: 'POST',
  path: '/operator/users/{user_id}/disable',
  access: 'operator',
  params: UserParams,
  output: OperatedUser,
  statuses: [200],
  errors: ['notFound', 'accountNeeded'],
});

export const enableUser = defineOperation({
  id: 'operator.enableUser',
  summary: 'Enable a disabled account. Its personal keys, agents and commands work again; its sessions stay ended',
  method: 'POST',
  path: '/operator/users/{user_id}/enable',
  access: 'operator',
  params: UserParams,
  output: OperatedUser,
  statuses: [200],
  errors: ['notFound'],
});

export const resetSecondFactor = defineOperation({
  id: 'operator.resetSecondFactor',
  summary: 'Remove the authenticator app, backup codes and passkeys of an account, and end its sessions',
  method: 'POST',
  path: '/operator/users/{user_id}/reset-second-factor',
  access: 'operator',
  params: UserParams,
  output: OperatedUser,
  statuses: [200],
  errors: ['notFound'],
});

export const ShownSetting = Type.Object({
  variable: Type.String(),
  value: Nullable(Type.String({ description: 'The active value; masked for secrets; null if not set' })),
  default: Nullable(Type.String()),
  changed: Type.Boolean({ description: 'Whether it differs from the default' }),
  secret: Type.Boolean(),
  doc: Type.String(),
});

export const getSettings = defineOperation({
  id: 'operator.settings',
  summary: 'Get the active settings and their defaults, without secrets, and the games close to their limits',
  method: 'GET',
  path: '/operator/settings',
  access: 'operator',
  output: Type.Object({
    settings: Type.Array(ShownSetting),
    limits_in_use: Type.Array(
      Type.Object({
        game_uid: Uuid,
        slug: Type.String(),
        name: Type.String(),
        limit: Type.String(),
        used: Type.Integer(),
        most: Type.Integer({ description: 'The limit; 0 for none' }),
        since: Timestamp,
      }),
      { description: 'Usage in this hour of the limits that settings change, highest first, at most 50' },
    ),
  }),
  statuses: [200],
  errors: [],
});
