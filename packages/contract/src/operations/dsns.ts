// DSNs: the addresses, each with a key, that games put into Sentry's SDKs. A key is part of every copy of a game, so it
// isn't secret, and is shown as often as it is needed.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Foreign, GameParams, GameRef, Line, Nullable, Timestamp, Uuid } from './fields.ts';

const DsnName = Line('a name to recognize it by, such as that of a platform', {
  minLength: 1,
  maxLength: LIMITS.dsnNameLength,
});

const DsnRecord = Type.Object({
  dsn_id: Uuid,
  name: Type.String(),
  dsn: Type.String({ description: 'What the SDK needs: the address of the server, with the key and the number' }),
  project_no: Type.Integer({ description: 'The number of the game, which all of its DSNs end with' }),
  state: Type.Enum(['active', 'revoked']),
  created_by: Type.String(),
  created_at: Timestamp,
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable({ ...Timestamp, description: 'To the minute' }),
});

const DsnParams = Type.Object({ uid: GameRef, dsn_id: Uuid });

export const listDsns = defineOperation({
  id: 'dsns.list',
  summary: "List a game's DSNs, active ones first; at most 100",
  method: 'GET',
  path: '/games/{uid}/dsns',
  access: 'account',
  role: 'developer',
  params: GameParams,
  output: Type.Object({ dsns: Type.Array(DsnRecord) }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_dsns',
    when: "Use it to find the DSN to put into one of Sentry's SDKs, or one that nothing uses any more.",
    scope: 'mcp:read',
  },
});

export const createDsn = defineOperation({
  id: 'dsns.create',
  summary: `Create a DSN; a game can have ${LIMITS.dsns} active ones`,
  method: 'POST',
  path: '/games/{uid}/dsns',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: Type.Object({ name: DsnName }),
  output: DsnRecord,
  statuses: [201],
  errors: ['notFound'],
  example: { body: { name: 'Windows' } },
  mcp: {
    tool: 'create_dsn',
    when: "Use it when a game gets one of Sentry's SDKs, and list_dsns has no active DSN for its platform. The key in it isn't secret.",
    scope: 'mcp:write',
  },
});

export const renameDsn = defineOperation({
  id: 'dsns.rename',
  summary: 'Rename a DSN; what it is stays the same',
  method: 'PATCH',
  path: '/games/{uid}/dsns/{dsn_id}',
  access: 'account',
  role: 'admin',
  params: DsnParams,
  body: Type.Object({ name: DsnName }),
  output: DsnRecord,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'rename_dsn',
    when: 'Use it if a name no longer says what the DSN is for.',
    scope: 'mcp:write',
  },
});

export const revokeDsn = defineOperation({
  id: 'dsns.revoke',
  summary: 'Revoke a DSN: copies of the game that have it can no longer report anything',
  method: 'DELETE',
  path: '/games/{uid}/dsns/{dsn_id}',
  access: 'account',
  role: 'admin',
  params: DsnParams,
  output: DsnRecord,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'revoke_dsn',
    when: 'Use it only when the user asks for it: a revoked DSN never works again. last_used_at of list_dsns says whether one is in use.',
    scope: 'mcp:write',
    destructive: true,
  },
});

const ACTIVITY_KINDS = ['dropped', 'discarded', 'message', 'repeated'] as const;

export const getSentryActivity = defineOperation({
  id: 'dsns.activity',
  summary: "See what Sentry's SDKs sent apart from reports: what was dropped, wrong keys and unregistered releases",
  method: 'GET',
  path: '/games/{uid}/sentry-activity',
  access: 'account',
  role: 'developer',
  params: GameParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'The UTC days up to today that are counted; 30 by default',
      }),
    ),
  }),
  output: Type.Object({
    counts: Type.Array(
      Type.Object({
        what: Type.Enum([...ACTIVITY_KINDS], {
          description:
            'dropped: nothing was made of it; discarded: by the SDK, which never sent it; message: only counted; repeated: it was there already',
        }),
        type: Type.String({
          description:
            'The type of item, such as span; the category, if the SDK discarded it; or the level of a message',
        }),
        reason: Type.String({ description: 'Such as not_used and over_limit; may be empty' }),
        count: Type.Integer(),
        last_day: Type.String({ description: 'The last UTC day with one' }),
      }),
      { description: 'The most frequent first' },
    ),
    wrong_keys: Type.Array(
      Type.Object({
        key_start: Type.String({ description: 'The first digits; empty for all further keys of days with too many' }),
        count: Type.Integer(),
        last_used_at: Timestamp,
      }),
      { description: 'Keys that requests for the game had, but that are none of its active ones; the last used first' },
    ),
    releases: Type.Array(
      Type.Object({
        release_id: { ...Uuid, description: 'Reports have it as their build_id' },
        release: Foreign(Type.String({ description: 'As the SDK sends it; empty for reports without one' })),
        dist: Foreign(Type.String()),
        os: Type.String(),
        arch: Type.String(),
        environment: Foreign(Type.String()),
        crashes: Type.Integer({
          description: `Crash reports; counted together with errors up to ${LIMITS.releaseReportsCounted}`,
        }),
        errors: Type.Integer({ description: 'Reports of errors that the game handled' }),
        created_at: Timestamp,
        last_at: Timestamp,
      }),
      { description: 'Releases that no build has, the last used first; at most 100' },
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_sentry_activity',
    when: "Use it when reports of one of Sentry's SDKs are missing: it says what the server dropped, what the SDK discarded, which keys were wrong, and which releases no build has.",
    scope: 'mcp:read',
  },
});

export const assignRelease = defineOperation({
  id: 'dsns.assignRelease',
  summary: 'Assign an unregistered release to a build: its reports move there, and so do later ones',
  method: 'POST',
  path: '/games/{uid}/unregistered-releases/{release_id}/assign',
  access: 'account',
  role: 'developer',
  params: Type.Object({ uid: GameRef, release_id: Uuid }),
  body: Type.Object({ build_id: Uuid }),
  output: Type.Object({ release_id: Uuid, build_id: Uuid }),
  statuses: [202],
  errors: ['notFound', 'unknownBuild'],
  mcp: {
    tool: 'assign_sentry_release',
    when: "Use it if a release of get_sentry_activity is a build of list_game_builds under another name. It can't be undone.",
    scope: 'mcp:write',
    destructive: true,
  },
});
