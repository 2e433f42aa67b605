// Groups of crash reports: their lists and details, and the searches of crashes that the members of a game saved.
import Type from 'typebox';
import { MAX_QUERY_LENGTH } from '../crash-query.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, Foreign, GameParams, GameRef, Line, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

/** snoozed: until a date, a number of reports or the next build. ignored: permanently. */
export const GROUP_STATUSES = ['open', 'resolved', 'snoozed', 'ignored'] as const;

/** An error is one that the game handled: it counts in no rate and no total of crashes. */
export const REPORT_KINDS = ['crash', 'error'] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

/** The orders of a list of groups. */
export const GROUP_ORDERS = ['last_seen', 'first_seen', 'reports', 'devices'] as const;

export type GroupOrder = (typeof GROUP_ORDERS)[number];

export const PRIORITIES = ['urgent', 'high', 'medium', 'low'] as const;

export type GroupStatus = (typeof GROUP_STATUSES)[number];

export type Priority = (typeof PRIORITIES)[number];

/** A member of the game. */
export const Member = Type.Object({ user_id: Type.String(), name: Type.String() });

export const UserId = Type.String({ minLength: 1, maxLength: 64, description: 'user_id of a member of the game' });

/** When a snoozed group opens: at the first of these. */
export const Snooze = Type.Object({
  until: Nullable(Timestamp),
  reports: Nullable(Type.Integer({ description: 'After this many more reports' })),
  next_build: Type.Boolean({ description: 'With a report of a build registered after the group was snoozed' }),
});

export const CrashGroup = Type.Object({
  group_id: Uuid,
  kind: Type.Enum(['stack', 'message']),
  report_kind: Type.Enum([...REPORT_KINDS], { description: 'error: the game handled them and went on' }),
  title: Foreign(Type.String({ description: 'The custom title if there is one, or the signature' })),
  signature: Foreign(Type.String({ description: 'The signature, or the message if the reports have no stack' })),
  reason: Nullable(Type.String()),
  message: Foreign(Type.String({ description: 'The message of the newest report, in one line; empty without one' })),
  culprit: Nullable(
    Foreign(Type.String({ description: 'Where the newest report crashed, as file:line; null if it is not known' })),
  ),
  status: Type.Enum([...GROUP_STATUSES]),
  fixed_in_version: Nullable(
    Type.String({ description: 'Of a resolved group: the version with the fix; null for the next build' }),
  ),
  snooze: Nullable(Snooze),
  regressed_at: Nullable(Timestamp),
  assignee: Nullable(Member),
  priority: Nullable(Type.Enum([...PRIORITIES])),
  issue_url: Nullable(Type.String({ description: 'The issue about it in your tracker' })),
  merged_count: Type.Integer({ description: 'Number of groups merged into it, whose reports are counted here' }),
  count: Type.Integer(),
  devices: Type.Integer({ description: 'Devices that sent its stored reports, each once' }),
  sessions: Type.Integer({ description: 'Sessions of its stored reports' }),
  first_seen: Timestamp,
  last_seen: Timestamp,
  sample_crash_id: Nullable(Type.String({ description: 'The newest report; null if none are kept any more' })),
  builds: Type.Array(
    Type.Object({
      build_id: Uuid,
      version: Type.String({
        description: 'Empty, like os and arch, if the name of a deleted build is no longer known',
      }),
      os: Type.String(),
      arch: Type.String(),
      count: Type.Integer(),
    }),
    { description: 'Builds with the most reports: ten in a list, up to 200 for a single group' },
  ),
  build_count: Type.Integer({ description: 'Total number of builds with reports, including those not in builds' }),
  oses: Type.Array(Type.Object({ os: Foreign(Type.String()), count: Type.Integer() })),
  days: Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() }), {
    description: 'Days with reports among the last 30 (UTC)',
  }),
});

export const CrashGroupDetail = Type.Object({
  ...CrashGroup.properties,
  explanation: Type.Array(Foreign(Type.String()), { description: 'How the signature was generated' }),
  trend: Type.Array(
    Type.Object({
      day: Type.String(),
      version: Nullable(
        Type.String({ description: 'One of the three versions with the most reports; null for all others' }),
      ),
      count: Type.Integer(),
    }),
    { description: 'The days, by version' },
  ),
  merged: Type.Array(
    Type.Object({ group_id: Uuid, signature: Foreign(Type.String()), count: Type.Integer(), last_seen: Timestamp }),
    { description: 'The groups merged into it' },
  ),
  split_off: Type.Array(Type.Object({ group_id: Uuid, function: Foreign(Type.String()), count: Type.Integer() }), {
    description: 'The groups split off from it',
  }),
  split_from: Nullable(
    Type.Object(
      { group_id: Uuid, function: Foreign(Type.String()) },
      { description: 'The group that it was split off from' },
    ),
  ),
});

const WalkStop = Type.Object({
  module: Foreign(Type.String({ description: 'The file name of the module' })),
  debug_file: Foreign(Type.String()),
  debug_id: Foreign(
    Type.String({ description: 'The code id for a module without a debug id; empty for one without any id' }),
  ),
  version: Nullable(Foreign(Type.String())),
  os: Foreign(Type.String()),
  arch: Foreign(Type.String()),
  own: Type.Boolean({ description: "Whether it belongs to the game rather than to the player's system" }),
  reports: Type.Integer({ description: 'Reports whose stack ended in the module, or has guessed frames after it' }),
  stopped: Type.Integer({ description: 'Reports of these whose stack ended there, although it goes on' }),
  why: Type.Enum(['never_uploaded', 'no_unwind_data', 'wrong_debug_id', 'unreadable', 'no_id', 'system_module']),
  help: Foreign(Type.String({ description: 'What would help' })),
});

const CrashGroupWithStops = Type.Object({
  ...CrashGroupDetail.properties,
  walk_stops: Type.Object(
    {
      reports: Type.Integer({
        description: `The newest reports that were looked at: at most ${LIMITS.walkStopReports}, without reports whose dumps were read by an earlier release`,
      }),
      modules: Type.Array(WalkStop),
    },
    { description: 'The modules without unwind data that stacks of the group could not be followed through' },
  ),
});

export const GroupParams = Type.Object({ uid: GameRef, group_id: Uuid });

export const CrashQuery = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
    description: 'A query such as `os:windows version:>=1.2 is:unassigned render::`; see docs/crash-search.md',
  }),
);

const GroupsOfKind = Type.Optional(
  Type.Enum([...REPORT_KINDS], {
    description: 'Groups of crashes, or of errors that the game handled; crash by default',
  }),
);

export const listCrashGroups = defineOperation({
  id: 'crashes.groups',
  summary: 'List crash groups that match a query, most recently seen first, with counts by build, OS and day',
  method: 'GET',
  path: '/games/{uid}/crash-groups',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    build_id: Type.Optional(Uuid),
    since_build: Type.Optional({
      ...Uuid,
      description: 'Only groups first seen after this build was registered',
    }),
    status: Type.Optional(Type.Enum([...GROUP_STATUSES])),
    kind: GroupsOfKind,
    query: CrashQuery,
    sort: Type.Optional(
      Type.Enum([...GROUP_ORDERS], { description: 'The order, highest or latest first; last_seen by default' }),
    ),
    ...CursorQuery,
  }),
  output: Type.Object({ groups: Type.Array(CrashGroup), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_crash_groups',
    when: 'Use it first when you look into crashes, to see which ones are frequent, new or regressed.',
    scope: 'mcp:read',
  },
});

export const countCrashGroups = defineOperation({
  id: 'crashes.countGroups',
  summary: 'Count the crash groups that match a query, and their reports',
  method: 'GET',
  path: '/games/{uid}/crash-group-counts',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({ query: CrashQuery, kind: GroupsOfKind }),
  output: Type.Object({
    groups: Nullable(
      Type.Integer({
        description: `Matching groups, counted up to ${LIMITS.crashGroupsCounted}; null for filters by a value that most groups have, which are too slow to count`,
      }),
    ),
    reports: Nullable(Type.Integer({ description: 'Reports of these groups, over all time' })),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const getCrashGroup = defineOperation({
  id: 'crashes.getGroup',
  summary:
    'Get a crash group, how its signature was generated, and which modules its stacks could not be followed through',
  method: 'GET',
  path: '/games/{uid}/crash-groups/{group_id}',
  access: 'account',
  role: 'viewer',
  params: GroupParams,
  output: CrashGroupWithStops,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_crash_group',
    when: 'Use it to read one crash group in detail. Where walk_stops names modules, its stacks are incomplete or guessed; help says what to upload.',
    scope: 'mcp:read',
  },
});

const CRASH_VIEWS = ['groups', 'reports'] as const;

export type CrashView = (typeof CRASH_VIEWS)[number];

const CrashSearch = Type.Object({
  search_uid: Uuid,
  name: Type.String(),
  query: Type.String(),
  kind: Type.Enum([...REPORT_KINDS]),
  view: Type.Enum([...CRASH_VIEWS]),
  created_by: Type.String({ description: 'The name of the person, at that time' }),
});

export const listCrashSearches = defineOperation({
  id: 'crashes.listSearches',
  summary: 'List the saved searches of a game, by name',
  method: 'GET',
  path: '/games/{uid}/crash-searches',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({ searches: Type.Array(CrashSearch) }),
  statuses: [200],
  errors: ['notFound'],
});

export const saveCrashSearch = defineOperation({
  id: 'crashes.saveSearch',
  summary: 'Save a search for all members of a game; replaces the one with the same name',
  method: 'POST',
  path: '/games/{uid}/crash-searches',
  access: 'account',
  role: 'triager',
  params: GameParams,
  body: Type.Object({
    name: Line('name', { minLength: 1, maxLength: LIMITS.displayNameLength }),
    query: Line('query', { minLength: 1, maxLength: MAX_QUERY_LENGTH }),
    kind: Type.Optional(
      Type.Enum([...REPORT_KINDS], { description: 'Whether it searches crashes or errors; crash by default' }),
    ),
    view: Type.Enum([...CRASH_VIEWS]),
  }),
  output: CrashSearch,
  statuses: [201],
  errors: ['notFound'],
});

export const deleteCrashSearch = defineOperation({
  id: 'crashes.deleteSearch',
  summary: 'Delete a saved search',
  method: 'DELETE',
  path: '/games/{uid}/crash-searches/{search_uid}',
  access: 'account',
  role: 'triager',
  params: Type.Object({ uid: GameRef, search_uid: Uuid }),
  output: Type.Object({ deleted: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});
