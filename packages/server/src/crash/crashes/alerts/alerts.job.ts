// Raises the alerts about crashes, once a minute: groups that are new or back after their fix, groups with a spike, and
// builds with their first crash. Nothing of this is done while reports are received or processed.
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/database/db.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { type Alert, raiseAlerts } from '../../../notify/alerts/alerts.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { reopen } from '../groups/reopen.sql.ts';
import { lockStates } from '../groups/state.sql.ts';
import * as sql from './alerts.sql.ts';
import { HISTORY_HOURS, MIN_REPORTS, spikeOf } from './spikes.ts';

export const crashAlertsJob = defineJob('crashes:alerts', { attempts: 1, cron: '* * * * *' }, raiseCrashAlerts);
export const expireRatesJob = defineJob(
  'crashes:expire-rates',
  { attempts: 5, cron: '29 * * * *', deletesOld: true },
  expireRates,
);

const PAGE = 1000;
/** Builds of a game that are looked at for their first crash. */
const QUIET_BUILDS = 50;

/**
 * Safe to run twice and at any time. What was raised but not yet recorded as such is raised again, about the same
 * subject, which has no effect.
 */
export async function raiseCrashAlerts(ctx: Context): Promise<void> {
  await endSnoozes(ctx);
  await raiseMarked(ctx);
  // A report may be processed long after it was received.
  const active = await sql.listActive(ctx.db, new Date(ctx.clock.now().getTime() - HOUR));
  await raiseSpikes(ctx, active);
  await raiseFirstCrashes(ctx, [...new Set(active.map(({ game_id }) => game_id))]);
}

/** Opens the groups that were snoozed until a time that has come. */
async function endSnoozes({ db, clock }: Context): Promise<void> {
  for (const { game_id: gameId, group_id: groupId } of await sql.listAwake(db, clock.now()))
    await transactGroups(db, async (tx) => {
      const [group] = await lockStates(tx, gameId, [groupId]);
      const isOver = group?.state.snoozed_until != null && new Date(`${group.state.snoozed_until}Z`) <= clock.now();
      if (group?.state.status === 'snoozed' && isOver) await reopen(tx, gameId, groupId, group.state, 'snooze_ended');
    });
}

async function raiseMarked(ctx: Context): Promise<void> {
  for (;;) {
    const marked = await sql.listMarked(ctx.db, PAGE);
    for (const [gameId, groups] of Map.groupBy(marked, ({ game_id }) => game_id)) {
      await raiseAlerts(
        ctx.db,
        gameId,
        // A group that was merged or ignored meanwhile is not news.
        groups.filter(({ is_shown }) => is_shown).map((group) => alertOf(ctx, group)),
      );
      await sql.removeMarks(ctx.db, gameId, groups);
    }
    if (marked.length < PAGE) return;
  }
}

function alertOf({ clock }: Context, { group_id, alert, title, fixed_in_version }: sql.MarkedGroup): Alert {
  const common = { subject: group_id, happenedAt: clock.now() };
  if (alert === 'regression') return { kind: alert, ...common, data: { group_id, title, fixed_in_version } };
  return { kind: alert, ...common, data: { group_id, title } };
}

async function raiseSpikes({ db, clock }: Context, active: readonly sql.ActiveGroup[]): Promise<void> {
  if (active.length === 0) return;
  const now = clock.now();
  const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  const since = new Date(hour.getTime() - HISTORY_HOURS * HOUR);
  const shown = new Map(active.map((group) => [group.group_id, group]));
  const rates = await sql.recordRates(db, active, { hour, since, least: MIN_REPORTS });
  for (const { game_id, group_id, count, sum, highest, known_since } of rates) {
    const rate = { count, sum: sum ?? 0, highest: highest ?? 0, knownSince: known_since };
    const usual = spikeOf(rate, hour);
    if (usual === null) continue;
    const { head_id: subject, title } = shown.get(group_id)!;
    const data = { group_id: subject, title, reports: count, usual: Math.round(usual * 10) / 10 };
    await raiseAlerts(db, game_id, [{ kind: 'spike', subject, happenedAt: now, data }]);
  }
}

async function raiseFirstCrashes(ctx: Context, gameIds: readonly string[]): Promise<void> {
  const quiet = await sql.listQuietBuilds(ctx.db, gameIds, QUIET_BUILDS);
  for (const [gameId, builds] of Map.groupBy(quiet, ({ game_id }) => game_id)) {
    const ids = builds.map(({ build_id }) => build_id);
    const crashed = await sql.whichCrashed(ctx.db, gameId, ids);
    for (const { build_id, version, os, arch } of builds.filter((build) => crashed.has(build.build_id)))
      await transact(ctx.db, async (tx) => {
        if (!(await sql.recordCrashed(tx, gameId, build_id))) return;
        const data = { build_id, version, os, arch };
        await raiseAlerts(tx, gameId, [{ kind: 'first_crash', subject: build_id, happenedAt: ctx.clock.now(), data }]);
      });
  }
}

/** Deletes the rates of hours that are no longer compared with: once an hour, in a job. */
export async function expireRates({ db, clock }: Context): Promise<void> {
  await sql.deleteRates(db, new Date(clock.now().getTime() - (HISTORY_HOURS + 1) * HOUR));
}
