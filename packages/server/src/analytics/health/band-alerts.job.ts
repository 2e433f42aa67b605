// Raises an alert when the launch health that players see of a game gets worse.
import { BAND_RULES } from '@chauffeur/contract/launch-bands';
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { raiseAlerts } from '../../notify/alerts/alerts.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import * as sql from './health.sql.ts';
import { type Band, type ListedHealth, listedHealthOf } from './health.ts';

export const bandAlertsJob = defineJob(
  'health:alerts',
  { attempts: 1, cron: '*/10 * * * *', lane: 'long' },
  raiseBandAlerts,
);

const GAMES_AT_ONCE = 100;
/** The bands from best to worst. */
const ORDER: readonly Band[] = [...BAND_RULES.map(({ band }) => band), 'problematic'];

export async function raiseBandAlerts(ctx: Context): Promise<void> {
  // Games that no one starts keep their band until it is no longer rated.
  const since = utcDayOf(new Date(ctx.clock.now().getTime() - DAY));
  const gameIds = await sql.gamesWithDevices(ctx.db, since);
  for (let start = 0; start < gameIds.length; start += GAMES_AT_ONCE) {
    const some = gameIds.slice(start, start + GAMES_AT_ONCE);
    const listed = await listedHealthOf(ctx, some);
    const former = new Map((await sql.readBands(ctx.db, some)).map((row) => [row.game_id, row]));
    for (const [gameId, health] of listed) await compare(ctx, gameId, health, former.get(gameId));
  }
}

async function compare(
  ctx: Context,
  gameId: string,
  { band, buildId }: ListedHealth,
  former: sql.BandRow | undefined,
): Promise<void> {
  if (band === 'unrated') return;
  if (former?.band === band && former.build_id === buildId) return;
  await transact(ctx.db, async (tx) => {
    await sql.writeBand(tx, { game_id: gameId, build_id: buildId, band });
    if (former === undefined || ORDER.indexOf(band) <= ORDER.indexOf(former.band)) return;
    const build = await findBuild(tx, gameId, buildId);
    if (build === null) return;
    const { version, os, arch } = build;
    const data = { build_id: buildId, version, os, arch, from: former.band, to: band };
    // The health of a build can get worse again after it got better.
    await raiseAlerts(tx, gameId, [
      { kind: 'health_dropped', subject: `${buildId} ${band}`, happenedAt: ctx.clock.now(), data },
    ]);
  });
}
