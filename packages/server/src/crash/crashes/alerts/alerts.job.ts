// Raises the alerts about crashes and errors, once a minute: groups that are new or back after their fix, groups with a spike, and
// builds with their first crash. Nothing of this is done while reports are received or processed: those only mark the
// groups that are new or back.
//
// An alert is raised first, and recorded as raised after that. If the job dies in between, the next run raises it
// again, about the same subject, which has no effect. A spike is found by comparing the reports of a group in this hour
// with those of each hour of the last week, which the job counts itself.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { changed, type Db, row, rows, type Tx, transact } from '../../../kernel/database/db.ts';
import { rowsOfAllGames } from '../../../kernel/database/shards.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { type Alert, type CrashFacts, raiseAlerts } from '../../../notify/alerts/alerts.ts';
import { transactGroups } from '../groups/groups.sql.ts';
import { lockStates, reopen, shownTitle } from '../groups/state.sql.ts';
import { readCrashFacts } from './crash-facts.ts';

export const crashAlertsJob = defineJob('crashes:alerts', { attempts: 1, cron: '* * * * *' }, raiseCrashAlerts);
export const expireRatesJob = defineJob(
  'crashes:expire-rates',
  { attempts: 5, cron: '29 * * * *', deletesOld: true },
  expireRates,
);

const PAGE = 1000;
/** A message has room for as many alerts. */
const MAX_WITH_FACTS = 20;
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
  const active = await listActive(ctx.db, new Date(ctx.clock.now().getTime() - HOUR));
  await raiseSpikes(ctx, active);
  await raiseFirstCrashes(ctx, [...new Set(active.map(({ game_id }) => game_id))]);
}

/** Opens the groups that were snoozed until a time that has come. */
async function endSnoozes({ db, clock }: Context): Promise<void> {
  for (const { game_id: gameId, group_id: groupId } of await listAwake(db, clock.now()))
    await transactGroups(db, async (tx) => {
      const [group] = await lockStates(tx, gameId, [groupId]);
      const isOver = group?.state.snoozed_until != null && new Date(`${group.state.snoozed_until}Z`) <= clock.now();
      if (group?.state.status === 'snoozed' && isOver) await reopen(tx, gameId, groupId, group.state, 'snooze_ended');
    });
}

async function raiseMarked(ctx: Context): Promise<void> {
  for (;;) {
    const marked = await listMarked(ctx.db, PAGE);
    for (const [gameId, groups] of Map.groupBy(marked, ({ game_id }) => game_id)) {
      // A group that was merged or ignored meanwhile is not news.
      const shown = groups.filter(({ is_shown }) => is_shown);
      const facts = await factsOf(ctx, gameId, shown);
      await raiseAlerts(
        ctx.db,
        gameId,
        shown.map((group) => alertOf(ctx, group, facts.get(group.group_id))),
      );
      await removeMarks(ctx.db, gameId, groups);
    }
    if (marked.length < PAGE) return;
  }
}

/**
 * The facts about the first of the groups, those of errors last. A flood of new groups would otherwise cost several
 * statements for each.
 */
async function factsOf(
  { db, clock }: Context,
  gameId: string,
  groups: readonly MarkedGroup[],
): Promise<Map<string, CrashFacts | undefined>> {
  const facts = new Map<string, CrashFacts | undefined>();
  const isOfErrors = ({ alert }: MarkedGroup) => Number(alert === 'new_error_group');
  const ordered = groups.toSorted((a, b) => isOfErrors(a) - isOfErrors(b));
  for (const { group_id: groupId } of ordered.slice(0, MAX_WITH_FACTS))
    facts.set(groupId, await readCrashFacts(db, gameId, groupId, clock.now()));
  return facts;
}

function alertOf({ clock }: Context, group: MarkedGroup, facts: CrashFacts | undefined): Alert {
  const { group_id, alert, title, fixed_in_version } = group;
  const common = { subject: group_id, happenedAt: clock.now() };
  const data = { group_id, title, ...(facts !== undefined && { crash: facts }) };
  if (alert === 'regression') return { kind: alert, ...common, data: { ...data, fixed_in_version } };
  return { kind: alert, ...common, data };
}

async function raiseSpikes({ db, clock }: Context, active: readonly ActiveGroup[]): Promise<void> {
  if (active.length === 0) return;
  const now = clock.now();
  const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  const since = new Date(hour.getTime() - HISTORY_HOURS * HOUR);
  const shown = new Map(active.map((group) => [group.group_id, group]));
  const rates = await recordRates(db, active, { hour, since, least: MIN_REPORTS });
  for (const { game_id, group_id, count, sum, highest, known_since } of rates) {
    const rate = { count, sum: sum ?? 0, highest: highest ?? 0, knownSince: known_since };
    const usual = spikeOf(rate, hour);
    if (usual === null) continue;
    const { head_id: subject, title } = shown.get(group_id)!;
    const facts = await readCrashFacts(db, game_id, subject, now);
    const data = {
      group_id: subject,
      title,
      reports: count,
      usual: Math.round(usual * 10) / 10,
      ...(facts !== undefined && { crash: facts }),
    };
    await raiseAlerts(db, game_id, [{ kind: 'spike', subject, happenedAt: now, data }]);
  }
}

async function raiseFirstCrashes(ctx: Context, gameIds: readonly string[]): Promise<void> {
  const quiet = await listQuietBuilds(ctx.db, gameIds, QUIET_BUILDS);
  for (const [gameId, builds] of Map.groupBy(quiet, ({ game_id }) => game_id)) {
    const ids = builds.map(({ build_id }) => build_id);
    const crashed = await whichCrashed(ctx.db, gameId, ids);
    for (const { build_id, version, os, arch } of builds.filter((build) => crashed.has(build.build_id)))
      await transact(ctx.db, async (tx) => {
        if (!(await recordCrashed(tx, gameId, build_id))) return;
        const group = await findFirstGroup(tx, gameId, build_id);
        const crash = group && (await readCrashFacts(tx, gameId, group.group_id, ctx.clock.now()));
        const data = { build_id, version, os, arch, ...group, ...(crash !== undefined && { crash }) };
        await raiseAlerts(tx, gameId, [{ kind: 'first_crash', subject: build_id, happenedAt: ctx.clock.now(), data }]);
      });
  }
}

/** Deletes the rates of hours that are no longer compared with: once an hour, in a job. */
export async function expireRates({ db, clock }: Context): Promise<void> {
  await deleteRates(db, new Date(clock.now().getTime() - (HISTORY_HOURS + 1) * HOUR));
}

/** Hours of a group's own history with which its rate is compared. */
export const HISTORY_HOURS = 7 * 24;
/** Fewer reports in an hour are never a spike. */
export const MIN_REPORTS = 20;
const TIMES_AVERAGE = 5;
const TIMES_HIGHEST = 2;

export type Rate = {
  /** Reports in this hour so far. */
  readonly count: number;
  /** Reports in the hours before it that are known, and the most in one of them. */
  readonly sum: number;
  readonly highest: number;
  /** When these hours began. */
  readonly knownSince: Date;
};

/**
 * The average number of reports in an hour before, if this hour is a spike: five times the average, and twice the hour
 * with the most. Null if it isn't, or if the group's first hour isn't over: it is new, and its members know that.
 */
export function spikeOf({ count, sum, highest, knownSince }: Rate, hour: Date): number | null {
  const hours = Math.min(HISTORY_HOURS, (hour.getTime() - knownSince.getTime()) / HOUR);
  if (hours < 1 || count < MIN_REPORTS) return null;
  const average = sum / hours;
  return count >= TIMES_AVERAGE * average && count >= TIMES_HIGHEST * highest ? average : null;
}

export type MarkedGroup = {
  game_id: string;
  group_id: string;
  alert: 'new_group' | 'new_error_group' | 'regression' | 'snooze_ended';
  title: string;
  fixed_in_version: string | null;
  /** Whether it is neither merged into another group nor ignored. */
  is_shown: boolean;
};

/** Groups that are new, back after their fix, or no longer snoozed, and whose members have not been notified. */
export function listMarked(db: Db, limit: number): Promise<MarkedGroup[]> {
  return rows(
    db,
    sql<MarkedGroup>`select game_id, group_id, alert, ${shownTitle} as title, fixed_in_version,
        merged_into is null and status <> 'ignored' as is_shown from crash_groups
      where alert is not null order by game_id, group_id limit ${limit}`,
  );
}

/** Removes the marks of groups, except from groups that have got another one in the meantime. */
export async function removeMarks(db: Db, gameId: string, groups: readonly MarkedGroup[]): Promise<void> {
  const [ids, alerts] = [groups.map(({ group_id }) => group_id), groups.map(({ alert }) => alert)];
  await changed(
    db,
    sql`update crash_groups set alert = null
      from unnest(${ids}::uuid[], ${alerts}::text[]) as sent (id, kind)
      where game_id = ${gameId} and group_id = sent.id and alert = sent.kind`,
  );
}

/** Snoozed groups whose time has come. */
export function listAwake(db: Db, now: Date): Promise<{ game_id: string; group_id: string }[]> {
  return rows(
    db,
    sql<{ game_id: string; group_id: string }>`select game_id, group_id from crash_groups
      where status = 'snoozed' and snoozed_until <= ${now} order by game_id, group_id`,
  );
}

export type ActiveGroup = {
  game_id: string;
  group_id: string;
  /** The group that it is merged into, or itself. */
  head_id: string;
  /** The title of the head, which the others are merged into. */
  title: string;
  count: number;
  first_seconds: number;
};

/**
 * The groups of all games that got a report since then, except for snoozed and ignored ones. The number of games may be
 * large.
 */
export function listActive(db: Db, since: Date): Promise<ActiveGroup[]> {
  return rowsOfAllGames(
    db,
    sql<ActiveGroup>`with recursive found as (
        (select game_id as id from crash_groups order by game_id limit 1)
        union all
        select (select game_id from crash_groups where game_id > found.id order by game_id limit 1)
        from found where found.id is not null
      )
      select active.*, head.title from found cross join lateral (
        select game_id, group_id, coalesce(merged_into, group_id) as head_id, count,
          extract(epoch from first_seen)::float8 as first_seconds
        from crash_groups where game_id = found.id and report_kind = 'crash' and last_seen >= ${since}::timestamptz
      ) as active cross join lateral (
        select ${shownTitle} as title from crash_groups
        where crash_groups.game_id = active.game_id and crash_groups.group_id = active.head_id
          and status not in ('snoozed', 'ignored')
      ) as head`,
  );
}

type RateRow = {
  game_id: string;
  group_id: string;
  /** Reports in this hour so far. */
  count: number;
  /** The hours before: how many reports they had together, the most in one, and when the first of them began. */
  sum: number | null;
  highest: number | null;
  known_since: Date;
};

/**
 * Records how many reports the groups have now, and returns the rates of those with at least `least` in this hour. A
 * group that was not seen before has had its reports in this hour if it is new.
 */
export function recordRates(
  db: Db,
  groups: readonly ActiveGroup[],
  { hour, since, least }: { hour: Date; since: Date; least: number },
): Promise<RateRow[]> {
  const [gameIds, groupIds] = [groups.map(({ game_id }) => game_id), groups.map(({ group_id }) => group_id)];
  const [counts, firsts] = [groups.map(({ count }) => count), groups.map(({ first_seconds }) => first_seconds)];
  return rows(
    db,
    sql<RateRow>`with active as (
        select game_id, group_id, total, to_timestamp(first_seconds) as first_seen
        from unnest(${gameIds}::uuid[], ${groupIds}::uuid[], ${counts}::bigint[], ${firsts}::float8[])
          as given (game_id, group_id, total, first_seconds) join games using (game_id)
      ), recorded as (
        insert into crash_rates as known (game_id, group_id, hour, before, count)
        select game_id, group_id, ${hour}, previous.total, greatest(0, active.total - previous.total)
        from active cross join lateral (
          select coalesce(
            (select before + count from crash_rates
              where crash_rates.game_id = active.game_id and crash_rates.group_id = active.group_id and hour < ${hour}
              order by hour desc limit 1),
            case when first_seen >= ${hour} then 0 else active.total end) as total
        ) as previous
        on conflict (game_id, group_id, hour) do update
          set count = greatest(0, excluded.before + excluded.count - known.before)
        returning known.game_id, known.group_id, known.count
      )
      select recorded.game_id, recorded.group_id, recorded.count, past.sum, past.highest,
        greatest(active.first_seen, ${since}, least(past.first, ${hour})) as known_since
      from recorded join active using (game_id, group_id) cross join lateral (
        select sum(count)::bigint as sum, max(count) as highest, min(hour) as first from crash_rates
        where crash_rates.game_id = recorded.game_id and crash_rates.group_id = recorded.group_id
          and hour >= ${since} and hour < ${hour}
      ) as past
      where recorded.count >= ${least}`,
  );
}

export async function deleteRates(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from crash_rates where hour < ${before}`);
}

export type QuietBuild = { game_id: string; build_id: string; version: string; os: string; arch: string };

/** The newest builds of these games for which no crash was reported yet, at most `limit` of each game. */
export function listQuietBuilds(db: Db, gameIds: readonly string[], limit: number): Promise<QuietBuild[]> {
  return rows(
    db,
    sql<QuietBuild>`select newest.* from unnest(${gameIds}::uuid[]) as given (id) cross join lateral (
        select game_id, build_id, version, os, arch from builds
        where builds.game_id = given.id and not exists (
          select from crash_builds known where known.game_id = builds.game_id and known.build_id = builds.build_id)
        order by created_at desc limit ${limit}
      ) as newest`,
  );
}

/** Which of these builds have crash reports. */
export async function whichCrashed(db: Db, gameId: string, buildIds: readonly string[]): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ build_id: string }>`select build_id from unnest(${buildIds}::uuid[]) as given (build_id)
      where exists (select from crash_group_totals totals join crash_groups own
          on own.game_id = ${gameId} and own.group_id = totals.group_id
        where totals.game_id = ${gameId} and totals.build_id = given.build_id and report_kind = 'crash')`,
  );
  return new Set(found.map(({ build_id }) => build_id));
}

/** The group in which a build crashed first, or the group that it was merged into; undefined if that was deleted. */
export function findFirstGroup(
  db: Db,
  gameId: string,
  buildId: string,
): Promise<{ group_id: string; title: string } | undefined> {
  return row(
    db,
    sql<{ group_id: string; title: string }>`select group_id, ${shownTitle} as title from crash_groups
      where game_id = ${gameId} and group_id = (
        select coalesce(own.merged_into, own.group_id)
        from crash_group_totals totals join crash_groups own on own.game_id = totals.game_id and own.group_id = totals.group_id
        where totals.game_id = ${gameId} and totals.build_id = ${buildId} and own.report_kind = 'crash'
        order by own.first_seen, own.group_id limit 1)`,
  );
}

/** Records that the first crash of a build is reported. False if it was before, or the build was deleted. */
export async function recordCrashed(tx: Tx, gameId: string, buildId: string): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into crash_builds (game_id, build_id) select game_id, build_id from builds
      where game_id = ${gameId} and build_id = ${buildId} on conflict do nothing`,
  );
  return count === 1;
}
