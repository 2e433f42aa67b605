// Launch health: the bands of builds over the last 30 days with their numbers, and the band on a game's store page.
import { ApiError } from '@chauffeur/contract/errors';
import { MIN_DEVICES, WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import { STANDARD_EVENTS } from '@chauffeur/contract/operations/events';
import type * as contract from '@chauffeur/contract/operations/health';
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { medianOf } from '../../kernel/collections/sketch.ts';
import type { Call } from '../../request/call.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { type Reader, readReplica } from '../../request/read-replica.ts';
import { requireMember } from '../games/games.ts';
import { bandOf } from './band.ts';
import * as health from './health.sql.ts';

export type Band = contract.Band;
type BuildHealth = OutputOf<typeof contract.listHealth>['builds'][number];
type HealthDay = OutputOf<typeof contract.getBuildHealth>['days'][number];
type Times = Pick<BuildHealth, 'boot_ms' | 'session_seconds'>;

const PAGE_SIZE = 50;
const NO_TIMES: Times = { boot_ms: medianOf([]), session_seconds: medianOf([]) };

/** The first UTC day of the window. */
function sinceOf(ctx: Pick<Context, 'clock'>): string {
  return utcDayOf(new Date(ctx.clock.now().getTime() - (WINDOW_DAYS - 1) * DAY));
}

export async function listHealth(
  ctx: Context,
  { caller, input }: Call<typeof contract.listHealth>,
): Promise<OutputOf<typeof contract.listHealth>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { cursor, limit = PAGE_SIZE } = input;
  const window = { gameId: game.game_id, since: sinceOf(ctx) };
  const list = ['health', game.game_id];
  const [createdUs, buildId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const after = createdUs === undefined || buildId === undefined ? null : { createdUs, buildId };
  return readReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const rows = await health.listBuilds(reader.db, window, { after, limit: limit + 1 });
    const { page, last } = cutPage(rows, limit);
    const [times, listing] = await Promise.all([
      timesOf(reader, window, page),
      listedHealthOf(reader, [game.game_id]).then((listed) => listed.get(game.game_id)),
    ]);
    return {
      listing: { band: listing?.band ?? 'unrated', build_id: listing?.buildId ?? null },
      builds: page.map((build) => buildHealthOf(build, times.get(build.build_id) ?? NO_TIMES)),
      next_cursor: last === null ? null : writeCursor(list, [last.created_us, last.build_id]),
    };
  });
}

export async function getBuildHealth(
  ctx: Context,
  { caller, input }: Call<typeof contract.getBuildHealth>,
): Promise<OutputOf<typeof contract.getBuildHealth>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const window = { gameId: game.game_id, since: sinceOf(ctx) };
  return readReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const [build] = await health.findBuild(reader.db, window, input.build_id);
    if (build === undefined)
      throw new ApiError(4006, 'build_id: this game has no such build. List the builds and use one of their ids.');
    const [times, days] = await Promise.all([timesOf(reader, window, [build]), daysOf(reader, window, build.build_id)]);
    return { ...buildHealthOf(build, times.get(build.build_id) ?? NO_TIMES), days };
  });
}

async function timesOf(
  ctx: Reader,
  window: health.Window,
  builds: readonly health.BuildRow[],
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

function buildHealthOf(build: health.BuildRow, times: Times): BuildHealth {
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
    ...times,
  };
}

async function daysOf(ctx: Reader, window: health.Window, buildId: string): Promise<HealthDay[]> {
  const [devices, times, events] = await Promise.all([
    health.readDayDevices(ctx.db, window, buildId),
    health.readDayTimes(ctx.db, window, buildId),
    health.readDayEvents(ctx.db, window, buildId, Object.keys(STANDARD_EVENTS)),
  ]);
  const days = new Map<string, HealthDay>();
  const change = (day: string, fields: Partial<HealthDay>) =>
    days.set(day, { day, devices_last_seen: 0, events: {}, ...NO_TIMES, ...days.get(day), ...fields });
  for (const row of devices) change(row.day, { devices_last_seen: row.devices });
  for (const { day, what, histogram } of times) change(day, { [what]: medianOf(histogram) });
  for (const { day, name, count } of events) change(day, { events: { ...days.get(day)?.events, [name]: count } });
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

export type ListedHealth = { band: Band; buildId: string };

/** For each game, the newest rated build on stable (spec: Launch health). Games without one are left out. */
export async function listedHealthOf(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, ListedHealth>> {
  const rows = await health.readListed(ctx.db, gameIds, { since: sinceOf(ctx), minDevices: MIN_DEVICES });
  return new Map(rows.map((build) => [build.game_id, { band: bandOf(build), buildId: build.build_id }]));
}

/** The band on each game's store page; `unrated` if it has no rated build. */
export async function listingBands(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, Band>> {
  const listed = await listedHealthOf(ctx, gameIds);
  return new Map(gameIds.map((gameId) => [gameId, listed.get(gameId)?.band ?? 'unrated']));
}

/** The band on the game's store page. */
export async function listingBand(ctx: Context, gameId: string): Promise<Band> {
  return (await listingBands(ctx, [gameId])).get(gameId) ?? 'unrated';
}
