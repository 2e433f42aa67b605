// Watches rollouts: follows their devices, compares the versions with guards, stops a rollout whose version is worse,
// and goes on to the next step. Each result is stored, and each decision is in the history with its figures.
//
// A step ends when its time is over and each guard has enough devices. If a step has waited three times its time for
// devices, members are alerted, and the rollout goes on waiting: a decision on too few devices would be a guess.
import { isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { GuardName } from '@chauffeur/contract/rollout-plan';
import type { Context } from '../../context.ts';
import {
  listNewGroupDevices,
  type RolloutGroupRow,
  type RolloutReports,
  readRolloutGroups,
} from '../../crash/crashes/crashes.sql.ts';
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { firstIdAt } from '../../kernel/secrets/ids.ts';
import { raiseAlerts } from '../../notify/alerts/alerts.ts';
import { record } from '../../request/audit.ts';
import { findPointer } from '../../ship/channels/channels.sql.ts';
import { isExpired } from '../../ship/channels/channels.ts';
import { placeOf } from '../../ship/rollout-places/rollout-places.ts';
import { isStalled, stepEndOf } from '../../ship/rollout-schedule/rollout-schedule.ts';
import { findRollout, listToObserve } from '../../ship/rollouts/rollouts.sql.ts';
import {
  abortWithin,
  advanceWithin,
  expireWithin,
  GUARD,
  noteStallWithin,
  pauseWithin,
  type Rollout,
  SCHEDULE,
} from '../../ship/rollouts/rollouts.ts';
import { bandOf } from '../health/band.ts';
import { intervalOf } from '../health/rate-difference.ts';
import { checkGuard, type SideCounts } from './guards.ts';
import type { Check } from './history-text.ts';
import * as sql from './observe.sql.ts';

export const watchRolloutsJob = defineJob(
  'rollouts:watch',
  { attempts: 1, cron: '*/5 * * * *', lane: 'long' },
  watchRollouts,
);

/** How long the devices of an aborted rollout are followed, to say how many still have its version. */
const FOLLOWED = 7 * DAY;
/** Events of the last minutes are read again, because some are committed late. */
const OVERLAP = 10 * MINUTE;
/** A device that was first seen less than this ago may still be starting. */
const SETTLING = 10 * MINUTE;
const SLICE = HOUR;
const MAX_ON_IT = 100_000;

/** Goes on with the others if one fails, and fails at the end. */
export async function watchRollouts(ctx: Context): Promise<void> {
  let failure: { error: unknown } | undefined;
  const abortedSince = new Date(ctx.clock.now().getTime() - FOLLOWED);
  for (const { game_id: gameId, rollout_id: rolloutId } of await listToObserve(ctx.db, abortedSince)) {
    try {
      await watch(ctx, { gameId, rolloutId });
    } catch (error) {
      ctx.log.warn({ err: error, game: gameId, rollout: rolloutId }, 'a rollout could not be watched');
      failure = { error };
    }
  }
  if (failure !== undefined) throw failure.error;
}

async function watch(ctx: Context, ref: sql.RolloutRef): Promise<void> {
  const rollout = await findRollout(ctx.db, ref.gameId, ref.rolloutId);
  if (rollout === undefined) return;
  if (rollout.ended_at === null && (await endIfExpired(ctx, rollout))) return;
  await observe(ctx, rollout);
  const { checks, groups } = await measure(ctx, rollout);
  if (rollout.ended_at !== null) return;
  await sql.writeChecks(
    ctx.db,
    ref,
    ctx.clock.now(),
    checks.map(({ guard, checked_at: _, ...result }) => ({ guard, result })),
  );
  await decide(ctx, rollout, checks, groups);
}

async function endIfExpired(ctx: Context, rollout: Rollout): Promise<boolean> {
  const { game_id: gameId, rollout_id: rolloutId, channel } = rollout;
  const now = ctx.clock.now();
  const pointers = await Promise.all(
    rollout.builds.map(({ os, arch }) => findPointer(ctx.db, { gameId, channel, os, arch })),
  );
  if (!pointers.some((pointer) => pointer !== undefined && isExpired(pointer, now))) return false;
  await act(ctx, gameId, 'rollouts.abort', (tx) => expireWithin(tx, { gameId, rolloutId }, now));
  return true;
}

const refOf = ({ game_id: gameId, rollout_id: rolloutId }: Rollout): sql.RolloutRef => ({ gameId, rolloutId });

/** Reads the events since the last time into the rows of devices, in slices, so that no statement takes long. */
async function observe({ db, clock }: Context, rollout: Rollout): Promise<void> {
  const ref = refOf(rollout);
  const newIds = rollout.builds.map(({ build_id }) => build_id);
  const baseIds = rollout.builds.map(({ base_build_id }) => base_build_id);
  const until = clock.now().getTime();
  const start = Math.max(rollout.started_at.getTime(), rollout.observed_until.getTime() - OVERLAP);
  for (let from = start; from < until; from += SLICE) {
    const to = Math.min(until, from + SLICE);
    const span = { gameId: ref.gameId, from: new Date(from), to: new Date(to) };
    const seen =
      rollout.state === 'aborted'
        ? await sql.readSeenOf(db, span, { newIds, deviceUids: await sql.listOnIt(db, ref, MAX_ON_IT) })
        : await sql.readSeen(db, span, { newIds, baseIds });
    await sql.mergeSeen(
      db,
      ref,
      seen.map((row) => ({ ...row, place: placeOf(ref.rolloutId, row.device_uid) })),
    );
    await sql.setObserved(db, ref, span.to);
  }
}

/** Counts both sides, and stores the figures. */
async function measure(ctx: Context, rollout: Rollout): Promise<{ checks: Check[]; groups: RolloutGroupRow[] }> {
  const { db, clock } = ctx;
  const ref = refOf(rollout);
  const now = clock.now();
  const counted = { share: rollout.share, settled: new Date(now.getTime() - SETTLING) };
  const reports: RolloutReports = {
    newIds: rollout.builds.map(({ build_id }) => build_id),
    baseIds: rollout.builds.map(({ base_build_id }) => base_build_id),
    fromId: firstIdAt(rollout.started_at.getTime()),
    since: rollout.started_at,
  };
  const [sides, affected, groups] = await Promise.all([
    sql.countSides(db, ref, counted),
    listNewGroupDevices(db, ref.gameId, reports),
    readRolloutGroups(db, ref.gameId, reports, LIMITS.rolloutGroups),
  ]);
  const among = await sql.countAmong(db, ref, counted, {
    newUids: affected.filter(({ is_new }) => is_new).map(({ device_uid }) => device_uid),
    baseUids: affected.filter(({ is_new }) => !is_new).map(({ device_uid }) => device_uid),
  });
  const hasStarts = sides.some(({ has_starts }) => has_starts);
  const countsOf = (isNew: boolean) =>
    sideCounts(
      sides.find(({ is_new }) => is_new === isNew),
      hasStarts,
    );
  const [side, base] = [
    { ...countsOf(true), new_group_devices: among.side },
    { ...countsOf(false), new_group_devices: among.base },
  ];
  await sql.setFigures(db, ref, { side: figuresOf(side), base_side: figuresOf(base), new_groups: groups });
  const checks = rollout.guards.map(({ guard, tolerance }) => ({
    guard,
    checked_at: now.toISOString(),
    ...checkGuard(guard, { side, base }, { minDevices: rollout.min_devices, tolerance }),
  }));
  return { checks, groups };
}

type Counts = Omit<SideCounts, 'new_group_devices'> & { readonly on_it: number };

/**
 * Games that never send session_start have no starts to see. All of their devices count as started, so that both sides
 * are still counted in the same way.
 */
function sideCounts(row: sql.CountsRow | undefined, hasStarts: boolean): Counts {
  if (row === undefined) return { devices: 0, on_it: 0, crashed: 0, started: 0, booted: 0, crashed_on_boot: 0 };
  const { devices, on_it, crashed, booted } = row;
  return {
    ...{ devices, on_it, crashed, booted },
    started: hasStarts ? row.started : devices,
    crashed_on_boot: hasStarts ? row.crashed_on_boot : row.crashed_early,
  };
}

function figuresOf({ devices, on_it, crashed, started, booted, crashed_on_boot }: Counts) {
  const rateOf = (part: number, total: number) => ({ devices: total, ...intervalOf({ part, total }) });
  return {
    ...{ devices, on_it, crashed, started, booted, crashed_on_boot },
    band: bandOf({ devices: started, booted, crashed: crashed_on_boot }),
    crash_free: rateOf(Math.max(0, devices - crashed), devices),
    boot: rateOf(booted, started),
  };
}

async function decide(
  ctx: Context,
  rollout: Rollout,
  checks: readonly Check[],
  groups: readonly RolloutGroupRow[],
): Promise<void> {
  const deciding = checks.filter(({ guard }) => !rollout.overruled.includes(guard));
  const worse = deciding.filter(({ verdict }) => verdict === 'worse');
  const end = stepEndOf(rollout);
  const now = ctx.clock.now();
  if (worse.length > 0) return stop(ctx, rollout, worse, groups);
  if (end === null || end > now) return;
  const waiting = deciding.filter(({ verdict }) => verdict === 'waiting');
  if (waiting.length === 0) return advance(ctx, rollout);
  if (!rollout.stall_alerted && isStalled(rollout, now)) await reportStall(ctx, rollout, waiting);
}

/** Aborts or pauses the rollout, as the settings of the guards say. A paused one can only be aborted. */
async function stop(
  ctx: Context,
  rollout: Rollout,
  checks: readonly Check[],
  groups: readonly RolloutGroupRow[],
): Promise<void> {
  const aborts = rollout.guards.some(
    ({ guard, action }) => action === 'abort' && checks.some((check) => check.guard === guard),
  );
  if (!aborts && rollout.state === 'paused') return;
  const responsible = groupsOf(checks, groups);
  const work = aborts ? abortWithin : pauseWithin;
  await act(ctx, rollout.game_id, aborts ? 'rollouts.abort' : 'rollouts.pause', async (tx) => {
    await work(tx, refOf(rollout), { by: GUARD, now: ctx.clock.now() }, { checks, groups: responsible });
    await alert(tx, ctx, rollout, { what: aborts ? 'aborted' : 'paused', checks, groups: responsible });
  });
}

/** The groups that hit the devices of the version more than others: with reports that the current one has not. */
function groupsOf(checks: readonly Check[], groups: readonly RolloutGroupRow[]): RolloutGroupRow[] {
  const [check] = checks;
  const expected = check === undefined || check.base_devices === 0 ? 0 : check.devices / check.base_devices;
  return groups.filter(({ devices, base_devices }) => devices > base_devices * expected).slice(0, 5);
}

async function advance(ctx: Context, rollout: Rollout): Promise<void> {
  const changer = { by: SCHEDULE, now: ctx.clock.now() };
  const isLast = rollout.steps[rollout.step + 1]?.share === 100;
  try {
    await act(ctx, rollout.game_id, isLast ? 'rollouts.finish' : 'rollouts.share', (tx) =>
      advanceWithin(tx, refOf(rollout), changer),
    );
  } catch (error) {
    if (!isError(error, 'notClean', 'unknownBuild')) throw error;
    await act(ctx, rollout.game_id, 'rollouts.pause', async (tx) => {
      await pauseWithin(tx, refOf(rollout), changer, { reason: 'not_offered' });
      await alert(tx, ctx, rollout, { what: 'unfinished', checks: [], groups: [] });
    });
  }
}

async function reportStall(ctx: Context, rollout: Rollout, checks: readonly Check[]): Promise<void> {
  await act(ctx, rollout.game_id, 'rollouts.share', async (tx) => {
    await noteStallWithin(tx, refOf(rollout), { by: SCHEDULE, now: ctx.clock.now() }, { checks });
    await alert(tx, ctx, rollout, { what: 'waiting', checks, groups: [] });
  });
}

type Reason = {
  readonly what: 'paused' | 'aborted' | 'waiting' | 'unfinished';
  readonly checks: readonly Check[];
  readonly groups: readonly RolloutGroupRow[];
};

async function alert(tx: Tx, ctx: Context, rollout: Rollout, { what, checks, groups }: Reason): Promise<void> {
  const now = ctx.clock.now();
  const { rollout_id, version, channel, share, game_id: gameId } = rollout;
  const data = {
    ...{ rollout_id, version, channel, share, what },
    guards: checks.map(({ guard, good, devices, base_good, base_devices, needed }) => ({
      ...{ guard: guard as GuardName, good, devices, base_good, base_devices, needed },
    })),
    groups: groups.map(({ group_id, title, devices, base_devices }) => ({ group_id, title, devices, base_devices })),
  };
  // A rollout that is resumed can be stopped again on the same day.
  const subject = `${rollout_id} ${what} ${now.toISOString()}`;
  await raiseAlerts(tx, gameId, [{ kind: 'rollout', subject, happenedAt: now, data }]);
}

/**
 * Makes a change in the name of the server, with an entry in the audit log. Does nothing if a person has changed the
 * rollout in the meantime so that it no longer applies.
 */
async function act(ctx: Context, gameId: string, operation: string, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const actor = { kind: 'server', id: null, name: 'Rollout', via: null } as const;
  try {
    await record(ctx, { operation, actor, gameId, changesOnly: true }, () => transact(ctx.db, work));
  } catch (error) {
    if (!isError(error, 'rolloutConflict', 'notFound')) throw error;
  }
}

export const forgetRolloutDevicesJob = defineJob(
  'rollouts:forget-devices',
  { attempts: 3, cron: '37 4 * * *', lane: 'long', deletesOld: true },
  forgetRolloutDevices,
);

/** How long what is known about the devices of an ended rollout is kept. */
const DEVICE_DAYS = 30;

export async function forgetRolloutDevices({ db, clock }: Context): Promise<void> {
  await sql.deleteDevices(db, new Date(clock.now().getTime() - DEVICE_DAYS * DAY));
}
