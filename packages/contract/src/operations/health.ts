// Launch health: how many of a build's devices reached the menu, and how many crashed before that.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GROUP_STATUSES } from './crash-groups.ts';
import { BuildParams, CursorQuery, Foreign, GameParams, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

/** From best to worst, then unrated. */
export const BANDS = ['excellent', 'healthy', 'mixed', 'problematic', 'unrated'] as const;
export type Band = (typeof BANDS)[number];

export const BandName = Type.Enum([...BANDS], { description: 'Launch health' });

/** What players see of the launch health of a game. */
export const Launch = Nullable(
  Type.Object({
    starts_percent: Type.Number({ description: 'Devices on which the game started, to one decimal' }),
    crashes_percent: Type.Number({ description: 'Devices on which it crashed while it started, to one decimal' }),
  }),
);

const Median = (meaning: string) =>
  Type.Object(
    { median: Nullable(Type.Integer()), samples: Type.Integer() },
    { description: `${meaning}, within 2%; null without samples` },
  );

const CrashFree = Type.Object(
  {
    since: Type.String({
      description: 'The first day that is counted (UTC): of the last 30, or after the update to a server that counts',
    }),
    devices: Type.Integer({ description: 'Distinct devices since then' }),
    crashed_devices: Type.Integer({ description: 'Devices that crashed since then, at any time and not only on boot' }),
    device_rate: Nullable(
      Type.Number({ description: 'Devices without a crash / devices, 0 to 1; null without devices' }),
    ),
    sessions: Type.Integer({ description: 'Sessions since then' }),
    crashes: Type.Integer({ description: 'Crashes since then; each ends a session' }),
    sdk_sessions: Type.Integer({ description: "Sessions that Sentry's SDKs reported" }),
    session_rate: Nullable(
      Type.Number({ description: 'Sessions without a crash / sessions, 0 to 1; null without sessions' }),
    ),
  },
  { description: 'Devices and sessions without any crash' },
);

export const BuildHealth = Type.Object({
  build_id: Uuid,
  version: Type.String(),
  build_type: Type.String(),
  os: Type.String(),
  arch: Type.String(),
  channel: Type.String(),
  registered_at: Timestamp,
  band: BandName,
  devices: Type.Integer({ description: 'Distinct devices of the last 30 days' }),
  booted: Type.Integer({ description: 'Devices that sent boot_ok in these days' }),
  crashed_on_boot: Type.Integer({
    description: 'Devices that crashed before their first boot_ok with this build',
  }),
  boot_rate: Nullable(Type.Number({ description: 'booted / devices, 0 to 1; null without devices' })),
  crash_rate: Nullable(Type.Number({ description: 'crashed_on_boot / devices, 0 to 1; null without devices' })),
  boot_ms: Median('Milliseconds to boot_ok'),
  session_seconds: Median('Length of a session in seconds'),
  crash_free: CrashFree,
});

export const listHealth = defineOperation({
  id: 'health.list',
  summary: 'List the launch health of the builds with devices in the last 30 days, newest first, and of the store page',
  method: 'GET',
  path: '/games/{uid}/health',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({
    listing: Type.Object(
      { band: BandName, build_id: Nullable(Uuid) },
      { description: 'The rating on the store page: that of the newest rated build on stable' },
    ),
    builds: Type.Array(BuildHealth),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const getBuildHealth = defineOperation({
  id: 'health.build',
  summary: 'Get the launch health of a build over the last 30 days',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/health',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  output: Type.Object({
    ...BuildHealth.properties,
    days: Type.Array(
      Type.Object({
        day: Type.String(),
        boot_ms: Median('Milliseconds to boot_ok on that day'),
        session_seconds: Median('Length of a session in seconds on that day'),
        devices_last_seen: Type.Integer({ description: 'Devices last seen on this day' }),
        devices: Type.Integer({ description: 'Devices that played on this day' }),
        crashed_devices: Type.Integer({ description: 'Devices that crashed on this day' }),
        crashed_on_boot: Type.Integer({
          description: 'Devices that crashed before their first boot_ok, and did so last on this day',
        }),
        events: Type.Record(Type.String(), Type.Integer(), { description: 'Number of each standard event' }),
      }),
      { description: 'Days with data among the last 30 (UTC), oldest first' },
    ),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'get_build_health',
    when: 'Use it to decide whether a build starts reliably on the devices of players, for example before you promote it.',
    scope: 'mcp:read',
  },
});

export const VERDICTS = ['better', 'worse', 'unclear'] as const;

export const RateDifference = Type.Object({
  rate: Nullable(Type.Number({ description: 'Of the build, 0 to 1; null without data' })),
  other_rate: Nullable(Type.Number({ description: 'Of the other build' })),
  difference: Nullable(Type.Number({ description: 'rate - other_rate; null unless both have data' })),
  low: Nullable(Type.Number({ description: 'The lower end of the 95% confidence interval of the difference' })),
  high: Nullable(Type.Number({ description: 'The upper end' })),
  verdict: Type.Enum([...VERDICTS], { description: 'unclear if the interval contains 0 or a build has no data' }),
});

export const compareHealth = defineOperation({
  id: 'health.compare',
  summary: 'Compare the launch health of two builds over the last 30 days, with confidence intervals',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/health/comparison',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  query: Type.Object({ other: { ...Uuid, description: 'The build to compare with' } }),
  output: Type.Object({
    build: BuildHealth,
    other: BuildHealth,
    booted: Type.Object(RateDifference.properties, { description: 'Devices that booted / devices' }),
    crash_free_days: Type.Object(RateDifference.properties, {
      description:
        'Days of devices without a crash / days of devices, so that a build that has been out for longer is not at a disadvantage',
    }),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'compare_build_health',
    when: 'Use it to say whether a build is better than another one, and how sure that is.',
    scope: 'mcp:read',
  },
});

const ComparedBuild = Type.Object({
  build_id: Uuid,
  version: Type.String(),
  os: Type.String(),
  arch: Type.String(),
  devices: Type.Integer({ description: 'Devices that sent events with the build, as far as their counts are kept' }),
});

const PerThousand = (of: string) =>
  Nullable(Type.Number({ description: `Reports per 1,000 devices of ${of}; null without devices` }));

const ComparedGroup = Type.Object({
  group_id: Uuid,
  title: Foreign(Type.String()),
  status: Type.Enum([...GROUP_STATUSES]),
  reports: Type.Integer({ description: 'Reports of the build, over all time' }),
  other_reports: Type.Integer({ description: 'Reports of the other build' }),
  per_thousand: PerThousand('the build'),
  other_per_thousand: PerThousand('the other build'),
});

const ComparedGroups = (which: string) =>
  Type.Object(
    { count: Type.Integer({ description: 'Number of groups' }), groups: Type.Array(ComparedGroup) },
    {
      description: `Crash groups with reports of ${which}: how many, and up to ${LIMITS.comparedGroups} with the most reports`,
    },
  );

export const compareCrashes = defineOperation({
  id: 'health.compareCrashes',
  summary: 'Compare the crash groups of two builds: which ones only one of the builds has, and which both have',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/crashes/comparison',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  query: Type.Object({ other: { ...Uuid, description: 'The build to compare with' } }),
  output: Type.Object({
    build: ComparedBuild,
    other: ComparedBuild,
    only_build: ComparedGroups('the build only'),
    only_other: ComparedGroups('the other build only'),
    both: ComparedGroups('both builds'),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'compare_build_crashes',
    when: 'Use it to see which crashes are new in a build, which are gone, and which became more or less frequent.',
    scope: 'mcp:read',
  },
});
