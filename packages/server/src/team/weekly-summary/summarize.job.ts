// Makes the weekly summary of each game on its Monday, and hands it to the alerts, which send it as the game's rules
// say.

import { sql } from 'kysely';
import { weekOfDevices } from '../../analytics/health/health.ts';
import type { Context } from '../../context.ts';
import { weekOfCrashes } from '../../crash/crashes/crashes.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { changed, type Db, row, rows, type Tx, transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { raiseAlerts, type WeeklySummary } from '../../notify/alerts/alerts.ts';
import { downloadsBetween } from '../../ship/downloads/downloads.ts';
import { type Monday, mondayOf, weekBefore } from './week.ts';

export const summarizeJob = defineJob(
  'weekly-summary:summarize',
  { attempts: 1, cron: '13 * * * *', lane: 'long' },
  summarizeWeeks,
);
export const expireSummariesJob = defineJob(
  'weekly-summary:expire',
  { attempts: 1, cron: '57 4 * * *', deletesOld: true },
  expireSummaries,
);

const GAMES_AT_ONCE = 100;
const KEPT_DAYS = 60;

/** Safe to run twice and at any time: a game has one summary for each Monday. */
export async function summarizeWeeks(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  // Summaries from while the clock was ahead would keep others away until it has caught up.
  await deleteSummariesAfter(ctx.db, utcDayOf(new Date(now.getTime() + DAY)));
  // It is Monday somewhere for two days. A game that has a summary since Sunday is done.
  const since = utcDayOf(new Date(now.getTime() - 2 * DAY));
  let after: string | null = null;
  for (;;) {
    const games = await listGamesWithoutSummary(ctx.db, after, { since, limit: GAMES_AT_ONCE });
    for (const { game_id: gameId, time_zone: zone } of games) {
      const monday = mondayOf(now, zone ?? 'UTC');
      if (monday !== null) await summarize(ctx, gameId, monday);
    }
    if (games.length < GAMES_AT_ONCE) break;
    after = games.at(-1)!.game_id;
  }
}

export async function expireSummaries({ db, clock }: Context): Promise<void> {
  await deleteSummariesBefore(db, utcDayOf(new Date(clock.now().getTime() - KEPT_DAYS * DAY)));
}

async function summarize(ctx: Context, gameId: string, { date: monday, began }: Monday): Promise<void> {
  const week = weekBefore(monday);
  const [crashes, devices, downloads, former] = await Promise.all([
    weekOfCrashes(ctx, gameId, week),
    weekOfDevices(ctx, gameId, week),
    downloadsBetween(ctx, gameId, week),
    findSummary(ctx.db, gameId, week.first),
  ]);
  const before =
    former === undefined
      ? null
      : {
          reports: former.data.reports,
          devices: former.data.devices,
          crashed_devices: former.data.crashed_devices,
          downloads: former.data.downloads,
        };
  const data: WeeklySummary = { first_day: week.first, ...crashes, ...devices, downloads, before };
  await transact(ctx.db, async (tx) => {
    if (!(await insertSummary(tx, gameId, monday, data)) || isEmpty(data)) return;
    // The last moment of the week, for a digest that is due at midnight.
    const happenedAt = new Date(began.getTime() - 1);
    await raiseAlerts(tx, gameId, [{ kind: 'weekly_summary', subject: monday, happenedAt, data }]);
  });
}

/** Nothing happened to the game. */
function isEmpty({ reports, devices, downloads, new_groups, fixed_groups, only_sessions }: WeeklySummary): boolean {
  return reports + devices + downloads + new_groups + fixed_groups + (only_sessions?.sessions ?? 0) === 0;
}

export type SummaryGame = { game_id: string; time_zone: string | null };

/** The games after this one, in the order of their ids, that have no summary since a day. */
function listGamesWithoutSummary(
  db: Db,
  after: string | null,
  { since, limit }: { since: string; limit: number },
): Promise<SummaryGame[]> {
  return rows(
    db,
    sql<SummaryGame>`select games.game_id, time_zone from games left join alert_settings using (game_id)
      where (${after}::uuid is null or games.game_id > ${after}::uuid)
        and not exists (select from weekly_summaries done where done.game_id = games.game_id and week >= ${since}::date)
      order by games.game_id limit ${limit}`,
  );
}

export function findSummary(db: Db, gameId: string, week: string): Promise<{ data: WeeklySummary } | undefined> {
  return row(
    db,
    sql<{ data: WeeklySummary }>`select data from weekly_summaries where game_id = ${gameId} and week = ${week}::date`,
  );
}

/** Returns false if the game has a summary of the week already, or was deleted. */
export async function insertSummary(tx: Tx, gameId: string, week: string, data: WeeklySummary): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into weekly_summaries (game_id, week, data)
      select game_id, ${week}::date, ${JSON.stringify(data)}::jsonb from games where game_id = ${gameId}
      on conflict do nothing`,
  );
  return count === 1;
}

export async function deleteSummariesAfter(db: Db, day: string): Promise<void> {
  await changed(db, sql`delete from weekly_summaries where week > ${day}::date`);
}

export async function deleteSummariesBefore(db: Db, day: string): Promise<void> {
  await changed(db, sql`delete from weekly_summaries where week < ${day}::date`);
}
