// Statistics of a game: views of its page and plays are counted in memory and written together; downloads are counted
// where they are served.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/statistics';
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { dailyCounter } from '../../request/daily-counter.ts';
import { onReplica } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import * as sql from './statistics.sql.ts';
import { isOwnAddress, isPerson, osOfVisitor, otherHost, referrerOf } from './visitor.ts';

type Headers = Parameters<typeof osOfVisitor>[0];

const DEFAULT_DAYS = 30;

const writeViews = dailyCounter<sql.View>('views', sql.addViews);
const writePlays = dailyCounter<sql.Play>('plays', sql.addPlays);
const writeReferredDownloads = referralCounter('referred_downloads', 'download_referrer_days');
const writeReferredPlays = referralCounter('referred_plays', 'play_referrer_days');

function referralCounter(queue: 'referred_downloads' | 'referred_plays', table: sql.ReferralTable) {
  return dailyCounter<sql.Referral>(queue, (db, day, items) => sql.addReferrals(db, table, day, items));
}

type Viewed = {
  readonly gameId: string;
  readonly method: string;
  readonly headers: Headers;
  /** The host of the website whose frame of the game's widget has the link. */
  readonly host: string | undefined;
};

/** Counts a view by a visitor who isn't a member of the game. The page doesn't wait for it. */
export function countView(ctx: Context, { gameId, method, headers, host }: Viewed): void {
  if (!isPerson({ method, headers })) return;
  const { hostname } = new URL(ctx.publicUrl);
  const isFromHere = isOwnAddress(headers, hostname);
  const referrer =
    isFromHere && host !== undefined ? otherHost(`https://${host}`, hostname) : referrerOf(headers, hostname);
  writeViews(ctx, { gameId, os: osOfVisitor(headers), referrer }).catch((error) =>
    ctx.log.warn({ err: error, game: gameId }, 'a view was not counted'),
  );
}

/** The host of the website that a request came from; '' if it is this one or isn't known. */
export function readReferrer(ctx: Context, headers: Headers): string {
  return referrerOf(headers, new URL(ctx.publicUrl).hostname);
}

/**
 * Counts the website whose link began a download: the one with a link to the game's page if that page passes its host
 * on, else the one with a link to the file. The download doesn't wait for it.
 */
export function countReferredDownload(
  ctx: Context,
  { gameId, host, headers }: { readonly gameId: string; readonly host: string | undefined; readonly headers: Headers },
): void {
  const { hostname } = new URL(ctx.publicUrl);
  const referrer = host === undefined ? referrerOf(headers, hostname) : otherHost(`https://${host}`, hostname);
  if (referrer === '') return;
  writeReferredDownloads(ctx, { gameId, referrer }).catch((error) =>
    ctx.log.warn({ err: error, game: gameId }, 'the website of a download was not counted'),
  );
}

/** Counts the start of a web build, and the website whose link led to it. The game doesn't wait for it. */
export function countPlay(ctx: Context, play: sql.Play, host: string): void {
  const counted = [writePlays(ctx, play)];
  const referrer = otherHost(`https://${host}`, new URL(ctx.publicUrl).hostname);
  if (referrer !== '') counted.push(writeReferredPlays(ctx, { gameId: play.gameId, referrer }));
  Promise.all(counted).catch((error) => ctx.log.warn({ err: error, build: play.buildId }, 'a play was not counted'));
}

/** Throws `unknownBuild` and `notFound`. */
export const getStatistics = handle(
  contract.getStatistics,
  async (ctx, { caller, input: { uid, days = DEFAULT_DAYS, build_id: buildId } }) => {
    const { game } = await requireMember(ctx, caller, uid);
    const gameId = game.game_id;
    if (buildId !== undefined && (await findBuild(ctx.db, gameId, buildId)) === null)
      throw errors.unknownBuild('build_id: this game has no such build. List the builds and use one of their ids.');
    const now = ctx.clock.now().getTime();
    const all = Array.from({ length: days }, (_, ago) => utcDayOf(new Date(now - (days - 1 - ago) * DAY)));
    const range = { gameId, buildId: buildId ?? null, first: all[0]!, last: all.at(-1)! };
    return onReplica(ctx, { caller, gameId }, async ({ db }) => {
      const [byDay, versions, systems, referrers, followers] = await Promise.all([
        sql.countByDay(db, range),
        sql.countVisitsByVersion(db, range, LIMITS.statisticsRows),
        sql.countBySystem(db, range),
        buildId === undefined ? sql.countByReferrer(db, range, LIMITS.statisticsRows) : [],
        buildId === undefined ? sql.countFollowers(db, gameId) : null,
      ]);
      const counted = new Map(byDay.map((row) => [row.day, row]));
      const counts = all.map((day) => counted.get(day) ?? { day, views: 0, downloads: 0, plays: 0 });
      const sum = (name: 'views' | 'downloads' | 'plays') => counts.reduce((total, row) => total + row[name], 0);
      return {
        first_day: range.first,
        last_day: range.last,
        totals: { views: sum('views'), downloads: sum('downloads'), plays: sum('plays') },
        followers,
        days: counts,
        versions,
        systems: systems.map(({ os, ...row }) => ({ os: os === '' ? null : os, ...row })),
        referrers: referrers.map(({ host, ...row }) => ({ host: host === '' ? null : host, ...row })),
      };
    });
  },
);

export const expireViewsJob = defineJob(
  'statistics:expire',
  { attempts: 5, cron: '7 5 * * *', lane: 'long', deletesOld: true },
  expireViews,
);

/** Views and referrers are kept as long as statistics can show them. */
export async function expireViews(ctx: Context): Promise<void> {
  await sql.deleteReferrers(ctx.db, utcDayOf(new Date(ctx.clock.now().getTime() - LIMITS.statisticsDays * DAY)));
}
