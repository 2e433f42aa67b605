// Events for developers: their counts, and the events of a device, which can be deleted. The feature's folders are
// receive/ (from games), read/ (counts and devices), keep/ (partitions, sums and retention) and files/ (Parquet files).
import { errors } from '@chauffeur/contract/errors';
import { canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/events';
import type { Caller, Context } from '../../context.ts';
import { forgetDeviceReports as forgetDeviceOfReports, listCrashesOfDevice } from '../../crash/crashes/crashes.ts';
import { deviceUidOf } from '../../crash/sentry/sentry.ts';
import { DAY, HOUR } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { readCursor, writeCursor } from '../../request/cursor.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { forgetRolloutDevice } from '../../ship/rollouts/rollouts.sql.ts';
import { forgetDeviceSessions, readSessionsOfDevice } from '../sdk-sessions/sdk-sessions.ts';
import * as files from './files/event-files.sql.ts';
import { removeDevicesJob } from './files/remove-devices.job.ts';
import { chartSpanOf, seriesOf } from './read/chart.ts';
import { countByTime, countDevicesOfBuild, listNames, readLaunches } from './read/counts.sql.ts';
import {
  type DeviceEventRow,
  type DeviceRow,
  deleteAllEvents,
  forgetDeviceEvents,
  readDevice,
  readEventPage,
  readFirstSeen,
} from './read/devices.sql.ts';
import { isStandard } from './receive/event.ts';

/** The tables with rows of games. Each comes after the tables that it refers to. */
export const EVENT_TABLES: readonly string[] = [
  'event_ids',
  'event_devices',
  'event_device_days',
  'game_devices',
  'event_games',
  'event_hours',
  'event_names',
  'event_times',
  'events',
];

/** The table that has a partition for each day (keep/event-partitions.job.ts). */
export const DAILY_EVENT_TABLE = 'events';

/** The SQL of the blobs that event files refer to (operate/backups). */
export const { eventFileBlobs } = files;

type Device = OutputOf<typeof contract.getDevice>;

const NAMES_DAYS = 30;
const PAGE_SIZE = 50;
const MAX_CRASHES = 100;

/** `devicesEver` is the number of devices over all builds. Each counts once. */
export type LaunchFacts = { devicesEver: number; firstBootOkAt: Date | null };

/** Returns an entry for each game, including games without events. */
export async function launchFacts(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, LaunchFacts>> {
  const facts = new Map<string, LaunchFacts>(
    gameIds.map((gameId) => [gameId, { devicesEver: 0, firstBootOkAt: null }]),
  );
  for (const { game_id, devices, first_boot_at } of await readLaunches(ctx.db, gameIds))
    facts.set(game_id, { devicesEver: devices, firstBootOkAt: first_boot_at });
  return facts;
}

/** The number of devices that ever sent events, or did so with a build for which counts are kept. Each counts once. */
export async function countDevices(
  ctx: Context,
  { gameId, caller }: { gameId: string; caller: Caller },
  buildId: string | undefined,
): Promise<number> {
  return onReplica(ctx, { caller, gameId }, async (reader) => {
    if (buildId !== undefined) return countDevicesOfBuild(reader.db, gameId, buildId);
    return (await launchFacts(reader, [gameId])).get(gameId)!.devicesEver;
  });
}

export const listEventNames = handle(contract.listEventNames, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const hour = Math.floor(ctx.clock.now().getTime() / HOUR) * HOUR;
  const names = await onReplica(ctx, { caller, gameId: game.game_id }, ({ db }) =>
    listNames(db, game.game_id, new Date(hour - NAMES_DAYS * DAY)),
  );
  return {
    names: names.map(({ name, count, last_hour }) => ({
      name,
      standard: isStandard(name),
      count,
      last_hour: last_hour.toISOString(),
    })),
  };
});

export const countEvents = handle(contract.countEvents, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { name, build_id: buildId, os, by } = input;
  const span = chartSpanOf(input, ctx.clock.now());
  if (buildId !== undefined && (await findBuild(ctx.db, game.game_id, buildId)) === null)
    throw errors.unknownBuild('build_id: this game has no such build. List the builds and use one of their ids.');
  const selection = { gameId: game.game_id, name, buildId, os: os === undefined ? undefined : canonicalOs(os), by };
  const points = await onReplica(ctx, { caller, gameId: game.game_id }, ({ db }) =>
    countByTime(db, selection, span, LIMITS.eventSeries),
  );
  return { from: span.from.toISOString(), to: span.to.toISOString(), step: span.step, series: seriesOf(points) };
});

export const getDevice = handle(contract.getDevice, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { device_uid: deviceUid, cursor, limit = PAGE_SIZE } = input;
  const device = { gameId: game.game_id, deviceUid };
  const list = ['device', game.game_id, deviceUid];
  const [before] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds']);
  const from = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before);
  const [builds, firstSeen, sdkSessions, crashes, { events, next }] = await onReplica(
    ctx,
    { caller, gameId: game.game_id },
    ({ db }) =>
      Promise.all([
        readDevice(db, device),
        readFirstSeen(db, device),
        readSessionsOfDevice(db, device.gameId, sdkUidOf(ctx, deviceUid)),
        listCrashesOfDevice(db, device.gameId, idsOfDevice(ctx, deviceUid), MAX_CRASHES),
        readEventPage(db, device, from, limit),
      ]),
  );
  return {
    device_uid: deviceUid,
    first_seen: firstSeen?.toISOString() ?? null,
    builds: builds.map(buildOf),
    sdk_sessions: sdkSessions,
    crashes: crashes.map((crash) => ({ ...crash, received_at: crash.received_at.toISOString() })),
    events: events.map(eventOf),
    next_cursor: next === null ? null : writeCursor(list, [String(next)]),
  };
});

/** Sessions and reports of Sentry's SDKs have a code of an id that says who plays. */
function sdkUidOf(ctx: Context, deviceUid: string): string {
  return deviceUidOf(ctx, deviceUid) ?? deviceUid;
}

function idsOfDevice(ctx: Context, deviceUid: string): string[] {
  return [...new Set([deviceUid, sdkUidOf(ctx, deviceUid)])];
}

function buildOf({ first_seen, first_boot_at, ...days }: DeviceRow): Device['builds'][number] {
  return { ...days, first_seen: first_seen.toISOString(), first_boot_at: first_boot_at?.toISOString() ?? null };
}

function eventOf(row: DeviceEventRow): Device['events'][number] {
  const { received_at, received_us: _, name, client_time, properties, ...rest } = row;
  return {
    ...rest,
    event: name,
    received_at: received_at.toISOString(),
    timestamp: client_time?.toISOString() ?? null,
    properties: properties ?? {},
  };
}

/** May take a while, because it reads every stored day. If repeated, it returns zeros. */
export const deleteDevice = handle(contract.deleteDevice, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const device = { gameId: game.game_id, deviceUid: input.device_uid };
  const since = await readFirstSeen(ctx.db, device);
  const builds = await forgetDeviceEvents(ctx.db, device);
  const events = await deleteAllEvents(ctx.db, device);
  await forgetDeviceSessions(ctx.db, device.gameId, sdkUidOf(ctx, device.deviceUid));
  await forgetRolloutDevice(ctx.db, device.gameId, device.deviceUid);
  let crashes = 0;
  for (const deviceUid of idsOfDevice(ctx, device.deviceUid))
    crashes += await forgetDeviceOfReports(ctx, device.gameId, deviceUid);
  await transact(ctx.db, async (tx) => {
    const deleted = { device_uid: device.deviceUid, since, deleted_at: ctx.clock.now() };
    if (!(await files.insertDevice(tx, device.gameId, deleted))) return;
    await addJob(tx, removeDevicesJob, { gameId: device.gameId }, `${removeDevicesJob.task}/${device.gameId}`);
  });
  ctx.log.info({ game: game.game_id, user: caller.user.id, builds, events, crashes }, 'a device was deleted');
  return { builds, events, crashes };
});
