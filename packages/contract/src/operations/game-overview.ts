// The overview of a game: whether it is all right, and what is new since someone's last visit.
import Type from 'typebox';
import { ArchName, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { MOVE_ACTIONS } from './channels.ts';
import { Foreign, GameParams, Nullable, Timestamp, Uuid } from './fields.ts';
import { BandName, RateDifference } from './health.ts';

/** A visit ends this many minutes after the person last opened a page of the game. */
export const VISIT_MINUTES = 30;
/** The days of which the crash groups with the most devices are listed, and which are new to a first visitor. */
export const OVERVIEW_DAYS = 7;
/** A last visit that is longer ago counts as this many days ago. */
export const MAX_AWAY_DAYS = 30;

const VersionLaunch = Type.Object({
  band: BandName,
  devices: Type.Integer({ description: 'Distinct devices of the last 30 days; a device counts once for each build' }),
  booted: Type.Integer(),
  crashed_on_boot: Type.Integer(),
});

const VersionCrashFree = Type.Object({
  devices: Type.Integer({ description: 'Devices whose crashes were counted' }),
  crashed_devices: Type.Integer(),
  rate: Nullable(Type.Number({ description: 'Devices without a crash / devices, 0 to 1; null without data' })),
});

const ChannelOverview = Type.Object({
  channel: Type.String(),
  version: Type.String({ description: 'The newest version that it offers' }),
  platforms: Type.Array(Type.Object({ os: OsName, arch: ArchName }), { description: 'Where it offers this version' }),
  behind: Type.Array(Type.Object({ os: OsName, arch: ArchName, version: Type.String() }), {
    description: 'Where it offers another version',
  }),
  moved_at: { ...Timestamp, description: 'When it began to offer the version on the last of these platforms' },
  launch: VersionLaunch,
  crash_free: VersionCrashFree,
  before: Nullable(
    Type.Object(
      { version: Type.String(), launch: VersionLaunch, crash_free: VersionCrashFree },
      { description: 'The version that it offered before; null if there was none, or its builds were deleted' },
    ),
  ),
  change: Nullable(
    Type.Object(
      {
        booted: Type.Object(RateDifference.properties, { description: 'Devices that booted / devices' }),
        crash_free: Type.Object(RateDifference.properties, { description: 'Devices without a crash / devices' }),
      },
      { description: 'The rates of the version compared with those of the previous version' },
    ),
  ),
});

const TopCrash = Type.Object({
  group_id: Uuid,
  title: Foreign(Type.String()),
  devices: Type.Integer({ description: 'Distinct devices that sent reports in these days' }),
  devices_last_day: Type.Integer({ description: 'How many of them in the last 24 hours' }),
  reports: Type.Integer(),
  first_seen: Timestamp,
  last_seen: Timestamp,
});

const NewGroups = (which: string) =>
  Type.Object(
    {
      count: Type.Integer(),
      groups: Type.Array(Type.Object({ group_id: Uuid, title: Foreign(Type.String()) }), {
        description: 'Up to three, with the most devices',
      }),
    },
    { description: which },
  );

const News = Type.Object(
  {
    since: { ...Timestamp, description: `When the previous visit ended; ${OVERVIEW_DAYS} days ago for a first visit` },
    is_first_visit: Type.Boolean(),
    new_groups: NewGroups('Open crash groups whose first report came since then'),
    regressions: NewGroups('Open crash groups that were resolved and came back since then, and are not new'),
    bugs: Type.Object({
      count: Type.Integer({
        description: `Open bug tickets filed since then, without duplicates, counted up to ${LIMITS.bugsCounted}`,
      }),
      newest: Type.Array(Type.Object({ bug_uid: Uuid, number: Type.Integer(), title: Foreign(Type.String()) }), {
        description: 'Up to three',
      }),
    }),
    refused: Type.Object(
      { reports: Type.Integer(), events: Type.Integer(), last_at: Nullable(Timestamp) },
      {
        description:
          'Reports and events refused since then for their build id. They are counted by UTC day, so the first day counts as a whole',
      },
    ),
    channel_changes: Type.Object({
      count: Type.Integer(),
      newest: Type.Array(
        Type.Object({
          channel: Type.String(),
          action: Type.Enum([...MOVE_ACTIONS]),
          version: Type.String(),
          platforms: Type.Integer({ description: 'On how many platforms' }),
          at: Timestamp,
          by: Type.String(),
        }),
        { description: 'Up to three' },
      ),
    }),
    approvals: Type.Array(Type.Object({ approval_uid: Uuid, summary: Type.String(), asked_at: Timestamp }), {
      description: 'Requests of agents that wait for the caller, whenever they came; up to ten',
    }),
  },
  {
    description: `A visit ends ${VISIT_MINUTES} minutes after the last page of the game was opened on the website`,
  },
);

export const getGameOverview = defineOperation({
  id: 'overview.game',
  summary:
    'Show whether a game is all right: the newest version of each channel with its health and the change since the previous one, the crashes that hit the most devices, and what is new since your last visit',
  method: 'GET',
  path: '/games/{uid}/overview',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({
    channels: Type.Array(ChannelOverview, { description: 'Stable first, then by name' }),
    top_crashes: Type.Object({
      days: Type.Integer({ description: 'Of how many days, counted in periods of 24 hours' }),
      counted: Type.Enum(['all', 'newest'], {
        description: `newest if there were more than ${LIMITS.crashesCounted} reports in these days, of which the newest count`,
      }),
      groups: Type.Array(TopCrash, { description: 'The five open crash groups that hit the most devices' }),
    }),
    news: News,
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_game_overview',
    when: 'Use it first when the user asks how a game is doing, whether a release is fine or what happened lately.',
    scope: 'mcp:read',
  },
});
