// Launch health: the bands of builds over the last 30 days with their numbers, comparisons of two builds and of their
// crash groups, and the band on a game's store page.
import { errors } from '@chauffeur/contract/errors';
import { percentOf } from '@chauffeur/contract/format';
import { MIN_DEVICES, WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { STANDARD_EVENTS } from '@chauffeur/contract/operations/events';
import * as contract from '@chauffeur/contract/operations/health';
import type { Context } from '../../context.ts';
import { compareGroups } from '../../crash/crashes/crashes.sql.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { medianOf } from '../../kernel/collections/sketch.ts';
import { isWorkerAway } from '../../kernel/database/db.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import type { Call } from '../../request/perform.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { countDevices } from '../events/events.ts';
import { bandOf } from './band.ts';
import * as health from './health.sql.ts';
import { compareRates, intervalOf, type Share } from './rate-difference.ts';

export type Band = contract.Band;
type BuildHealth = OutputOf<typeof contract.listHealth>['builds'][number];
type HealthDay = OutputOf<typeof contract.getBuildHealth>['days'][number];
type CrashFree = BuildHealth['crash_free'];
type Times = Pick<BuildHealth, 'boot_ms' | 'session_seconds'>;

const PAGE_SIZE = 50;
const NO_TIMES: Times = { boot_ms: medianOf([]), session_seconds: medianOf([]) };
const NO_DAY = { devices_last_seen: 0, devices: 0, crashed_devices: 0, crashed_on_boot: 0, events: {}, ...NO_TIMES };

/** The first UTC day of the window. */
function sinceOf(ctx: Pick<Context, 'clock'>): string {
  return utcDayOf(new Date(ctx.clock.now().getTime() - (WINDOW_DAYS - 1) * DAY));
}

export const listHealth = handle(contract.listHealth, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { cursor, limit = PAGE_SIZE } = input;
  const window = { gameId: game.game_id, since: sinceOf(ctx) };
  const list = ['health', game.game_id];
  const [createdUs, buildId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const after = createdUs === undefined || buildId === undefined ? null : { createdUs, buildId };
  return onReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const rows = await health.listBuildHealth(reader.db, window, { after, limit: limit + 1 });
    const { page, last } = cutPage(rows, limit);
    const [times, crashFree, listing] = await Promise.all([
      timesOf(reader, window, page),
      crashFreeOf(reader, window, page),
      listedHealthOf(reader, [game.game_id]).then((listed) => listed.get(game.game_id)),
    ]);
    return {
      listing: { band: listing?.band ?? 'unrated', build_id: listing?.buildId ?? null },
      builds: page.map((build) => buildHealthOf(build, { times, crashFree })),
      next_cursor: last === null ? null : writeCursor(list, [last.created_us, last.build_id]),
    };
  });
});

/** The devices of a game by day over the window, and the first day on which their crashes are counted. */
export async function devicesByDay({ db, clock }: Reader, gameId: string) {
  const since = sinceOf({ clock });
  const [crashesSince, days] = await Promise.all([
    health.crashFreeSince(db, since),
    health.readGameDays(db, { gameId, since }),
  ]);
  return { since, crashesSince, days };
}

export const getBuildHealth = handle(contract.getBuildHealth, readBuildHealth);

async function readBuildHealth(
  ctx: Context,
  { caller, input }: Call<typeof contract.getBuildHealth>,
): Promise<OutputOf<typeof contract.getBuildHealth>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const window = { gameId: game.game_id, since: sinceOf(ctx) };
  return onReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const [build] = await health.findBuildHealth(reader.db, window, input.build_id);
    if (build === undefined)
      throw errors.unknownBuild('build_id: this game has no such build. List the builds and use one of their ids.');
    const [times, crashFree, days] = await Promise.all([
      timesOf(reader, window, [build]),
      crashFreeOf(reader, window, [build]),
      daysOf(reader, window, build.build_id),
    ]);
    return { ...buildHealthOf(build, { times, crashFree }), days };
  });
}

export const compareHealth = handle(
  contract.compareHealth,
  async (ctx, { caller, input: { uid, build_id, other } }) => {
    const read = (buildId: string) => readBuildHealth(ctx, { caller, input: { uid, build_id: buildId } });
    const [{ days, ...build }, { days: otherDays, ...otherBuild }] = await Promise.all([read(build_id), read(other)]);
    return {
      build,
      other: otherBuild,
      booted: compareRates(bootedOf(build), bootedOf(otherBuild)),
      crash_free_days: compareRates(crashFreeDaysOf(build, days), crashFreeDaysOf(otherBuild, otherDays)),
    };
  },
);

function bootedOf({ booted, devices }: BuildHealth): Share {
  return { part: booted, total: devices };
}

/** Leaves out the days before crashes were counted. */
function crashFreeDaysOf({ crash_free: { since } }: BuildHealth, days: readonly HealthDay[]): Share {
  const counted = days.filter(({ day }) => day >= since);
  const total = counted.reduce((sum, { devices }) => sum + devices, 0);
  const crashed = counted.reduce((sum, { crashed_devices }) => sum + crashed_devices, 0);
  return { part: Math.max(0, total - crashed), total };
}

async function timesOf(
  ctx: Reader,
  window: health.HealthWindow,
  builds: readonly health.BuildHealthRow[],
): Promise<Map<string, Times>> {
  const rows = await health.readTimes(
    ctx.db,
    window,
    builds.map(({ build_id }) => build_id),
  );
  const times = new Map<string, Times>();
  for (const { build_id, what, histogram } of rows)
    times.set(build_id, { ...(times.get(build_id) ?? NO_TIMES), [what]: medianOf(histogram) });
  return times;
}

/** The rates of each build, by its id. */
async function crashFreeOf(
  { db }: Reader,
  { gameId, since: first }: health.HealthWindow,
  builds: readonly health.BuildHealthRow[],
): Promise<Map<string, CrashFree>> {
  const since = await health.crashFreeSince(db, first);
  const buildIds = builds.map(({ build_id }) => build_id);
  const rows = await health.readCrashFree(db, { gameId, since }, buildIds);
  return new Map(rows.map(({ build_id, ...counts }) => [build_id, { since, ...counts, ...ratesOf(counts) }]));
}

function ratesOf({ devices, crashed_devices, sessions, crashes }: Omit<health.CrashFreeRow, 'build_id'>) {
  return {
    device_rate: devices === 0 ? null : 1 - crashed_devices / devices,
    // The start of a session may be lost, or be on the day before.
    session_rate: sessions === 0 ? null : Math.max(0, 1 - crashes / sessions),
  };
}

type Found = { readonly times: ReadonlyMap<string, Times>; readonly crashFree: ReadonlyMap<string, CrashFree> };

function buildHealthOf(build: health.BuildHealthRow, { times, crashFree }: Found): BuildHealth {
  const { created_at, created_us: _, devices, booted, crashed, ...identity } = build;
  return {
    ...identity,
    registered_at: created_at.toISOString(),
    band: bandOf({ devices, booted, crashed }),
    devices,
    booted,
    crashed_on_boot: crashed,
    boot_rate: devices === 0 ? null : booted / devices,
    crash_rate: devices === 0 ? null : crashed / devices,
    ...(times.get(build.build_id) ?? NO_TIMES),
    crash_free: crashFree.get(build.build_id)!,
  };
}

async function daysOf(ctx: Reader, window: health.HealthWindow, buildId: string): Promise<HealthDay[]> {
  const [devices, times, events] = await Promise.all([
    health.readDayDevices(ctx.db, window, buildId),
    health.readDayTimes(ctx.db, window, buildId),
    health.readDayEvents(ctx.db, window, buildId, Object.keys(STANDARD_EVENTS)),
  ]);
  const days = new Map<string, HealthDay>();
  const change = (day: string, fields: Partial<HealthDay>) =>
    days.set(day, { ...NO_DAY, day, ...days.get(day), ...fields });
  for (const { day, last_seen, ...counts } of devices) change(day, { devices_last_seen: last_seen, ...counts });
  for (const { day, what, histogram } of times) change(day, { [what]: medianOf(histogram) });
  for (const { day, name, count } of events) change(day, { events: { ...days.get(day)?.events, [name]: count } });
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

export type ListedHealth = { band: Band; buildId: string; launch: Launch };

/** Percentages of the devices that started the rated build. Players don't see the numbers of devices. */
type Launch = { readonly starts_percent: number; readonly crashes_percent: number };

/** Finds, for each game, the newest rated build on stable (spec: Launch health). Games without one are left out. */
export async function listedHealthOf(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, ListedHealth>> {
  const rows = await health.readListed(ctx.db, gameIds, { since: sinceOf(ctx), minDevices: MIN_DEVICES });
  return new Map(
    rows.map((build) => [build.game_id, { band: bandOf(build), buildId: build.build_id, launch: launchOf(build) }]),
  );
}

/** Rounds the percentages as on the pages for developers, who compare the two. */
function launchOf({ devices, booted, crashed }: health.ListedRow): Launch {
  return { starts_percent: percentOf(booted / devices), crashes_percent: percentOf(crashed / devices) };
}

/** What a game's store page says about its launches. */
export type PublicHealth = { readonly health: Band; readonly launch: Launch | null };

const UNRATED: PublicHealth = { health: 'unrated', launch: null };

/**
 * Returns an entry for every game. All games are unrated while a Citus worker is away: the store needs nothing else
 * from the workers.
 */
export async function publicHealthOf(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, PublicHealth>> {
  const listed = await listedHealthOf(ctx, gameIds).catch((error) => {
    if (!isWorkerAway(error)) throw error;
    return new Map<string, ListedHealth>();
  });
  return new Map(
    gameIds.map((gameId) => {
      const rated = listed.get(gameId);
      return [gameId, rated === undefined ? UNRATED : { health: rated.band, launch: rated.launch }];
    }),
  );
}

/** The band on each game's store page. */
export async function listingBands(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, Band>> {
  const listed = await publicHealthOf(ctx, gameIds);
  return new Map(gameIds.map((gameId) => [gameId, listed.get(gameId)?.health ?? 'unrated']));
}

/** How the launches of some builds together are rated, as on the pages of builds. */
export function ratedLaunches(counts: health.LaunchRow = { devices: 0, booted: 0, crashed: 0 }) {
  const { devices, booted, crashed } = counts;
  return { band: bandOf(counts), devices, booted, crashed_on_boot: crashed };
}

/** The launches of each version, by it. Versions without devices are left out. */
export async function launchesOfVersions(reader: Reader, gameId: string, versions: readonly string[]) {
  const rows = await health.readVersionLaunches(reader.db, { gameId, since: sinceOf(reader) }, versions);
  return new Map(rows.map((row) => [row.version, ratedLaunches(row)]));
}

export type VersionHealth = ReturnType<typeof versionHealthOf>;

/** The launches of versions and their devices without a crash over the last 30 days, by version. */
export async function healthOfVersions(
  reader: Reader,
  gameId: string,
  versions: readonly string[],
): Promise<(version: string) => VersionHealth> {
  const since = await health.crashFreeSince(reader.db, sinceOf(reader));
  const [launches, crashes] = await Promise.all([
    launchesOfVersions(reader, gameId, versions),
    health.readVersionCrashes(reader.db, { gameId, since }, versions),
  ]);
  const crashesOf = new Map(crashes.map((row) => [row.version, row]));
  return (version) => versionHealthOf(launches.get(version) ?? ratedLaunches(), crashesOf.get(version));
}

function versionHealthOf(launch: ReturnType<typeof ratedLaunches>, row: health.VersionCrashesRow | undefined) {
  const { devices, crashed_devices } = row ?? { devices: 0, crashed_devices: 0 };
  const rate = devices === 0 ? null : Math.max(0, devices - crashed_devices) / devices;
  return { launch, crash_free: { devices, crashed_devices, rate } };
}

/** How the rates of a version differ from those of another one. */
export function compareVersions(version: VersionHealth, other: VersionHealth) {
  const booted = ({ launch }: VersionHealth): Share => ({ part: launch.booted, total: launch.devices });
  const crashFree = ({ crash_free: free }: VersionHealth): Share => ({
    part: Math.max(0, free.devices - free.crashed_devices),
    total: free.devices,
  });
  return {
    booted: compareRates(booted(version), booted(other)),
    crash_free: compareRates(crashFree(version), crashFree(other)),
  };
}

/**
 * The health of some builds together over the last 30 days: their launches, the shares without crashes, and the devices
 * that used them on each day. A device counts once for each build.
 */
export async function healthOfBuilds(reader: Reader, gameId: string, buildIds: readonly string[]) {
  const window = { gameId, since: sinceOf(reader) };
  const since = await health.crashFreeSince(reader.db, window.since);
  const [launches, counts, adoption] = await Promise.all([
    health.readBuildLaunches(reader.db, window, buildIds),
    health.readCrashFree(reader.db, { gameId, since }, buildIds),
    health.readAdoption(reader.db, window, buildIds),
  ]);
  const devices = sumOf(launches, ({ devices }) => devices);
  const booted = sumOf(launches, ({ booted }) => booted);
  const crashed = sumOf(launches, ({ crashed }) => crashed);
  return {
    launchOf: new Map(launches.map((row) => [row.build_id, ratedLaunches(row)])),
    launch: {
      ...ratedLaunches({ devices, booted, crashed }),
      boot_rate: intervalOf({ part: booted, total: devices }),
      crash_rate: intervalOf({ part: crashed, total: devices }),
    },
    crashFree: crashFreeShares(since, counts),
    adoption,
  };
}

function crashFreeShares(since: string, counts: readonly health.CrashFreeRow[]) {
  const devices = sumOf(counts, ({ devices }) => devices);
  const crashed_devices = sumOf(counts, ({ crashed_devices }) => crashed_devices);
  const sessions = sumOf(counts, ({ sessions }) => sessions);
  const crashes = sumOf(counts, ({ crashes }) => crashes);
  const sdk_sessions = sumOf(counts, (build) => build.sdk_sessions);
  return {
    since,
    devices,
    crashed_devices,
    device_rate: intervalOf({ part: devices - crashed_devices, total: devices }),
    sessions,
    crashes,
    sdk_sessions,
    // The start of a session may be lost, or be on the day before.
    session_rate: intervalOf({ part: Math.max(0, sessions - crashes), total: sessions }),
  };
}

function sumOf<Row>(rows: readonly Row[], pick: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + pick(row), 0);
}

const ADOPTED = 3;

/**
 * The devices of a game since the first of these UTC days, how many of them crashed, and the versions that they used on
 * the last day, as shares of the devices of that day. The sessions of builds that are unrated, because nothing else is
 * known of them, are separate.
 */
export async function weekOfDevices({ db }: Context, gameId: string, { first, end }: { first: string; end: string }) {
  const since = await health.crashFreeSince(db, first);
  const lastDay = utcDayOf(new Date(Date.parse(end) - DAY));
  const [counts, versions, unrated] = await Promise.all([
    health.countHealthDevices(db, { gameId, since }),
    health.readVersions(db, gameId, lastDay),
    health.readOnlySessions(db, { gameId, since }),
  ]);
  const total = versions.reduce((sum, { devices }) => sum + devices, 0);
  return {
    ...counts,
    only_sessions: {
      sessions: sumOf(unrated, ({ sessions }) => sessions),
      crashes: sumOf(unrated, ({ crashes }) => crashes),
      versions: unrated.slice(0, ADOPTED).map(({ version }) => version),
      version_count: unrated.length,
    },
    adoption: versions.slice(0, ADOPTED).map(({ version, devices }) => ({ version, share: devices / total })),
  };
}

/** Compares the crash groups of two builds, by reports and by reports per 1,000 devices. */
type Comparison = OutputOf<typeof contract.compareCrashes>;
type ComparedBuild = Comparison['build'];

/** Compares the crash groups of two builds, by reports and by reports per 1,000 devices. */
export const compareCrashes = handle(contract.compareCrashes, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const asked = { gameId: game.game_id, caller };
  const compared = async (field: 'build_id' | 'other'): Promise<ComparedBuild> => {
    const build = await findBuild(ctx.db, game.game_id, input[field]);
    if (build === null)
      throw errors.unknownBuild(`${field}: this game has no such build. List the builds and use one of their ids.`);
    const { build_id, version, os, arch } = build;
    return { build_id, version, os, arch, devices: await countDevices(ctx, asked, build_id) };
  };
  const [build, other] = await Promise.all([compared('build_id'), compared('other')]);
  const ids = { buildId: build.build_id, otherId: other.build_id };
  const rows = await onReplica(ctx, asked, (reader) =>
    compareGroups(reader.db, game.game_id, ids, LIMITS.comparedGroups),
  );
  const groupsOf = (kind: (typeof rows)[number]['kind']) => {
    const groups = rows.filter((row) => row.kind === kind);
    return {
      count: groups[0]?.groups ?? 0,
      groups: groups.map(({ kind: _, groups: __, ...group }) => ({
        ...group,
        per_thousand: perThousand(group.reports, build),
        other_per_thousand: perThousand(group.other_reports, other),
      })),
    };
  };
  return {
    build,
    other,
    only_build: groupsOf('only_build'),
    only_other: groupsOf('only_other'),
    both: groupsOf('both'),
  };
});

function perThousand(reports: number, { devices }: ComparedBuild): number | null {
  return devices === 0 ? null : (reports * 1000) / devices;
}
