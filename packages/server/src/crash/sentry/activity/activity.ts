// What Sentry's SDKs sent apart from reports, for the page of the DSNs: what was dropped and why, wrong keys, and releases
// that no build has.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/dsns';
import { sql } from 'kysely';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';

type Activity = OutputOf<typeof contract.getSentryActivity>;

const DEFAULT_DAYS = 30;
/** Far more than there are types and reasons. */
const MAX_COUNTS = 500;
const MAX_KEYS = 50;
const MAX_RELEASES = 100;

export const getSentryActivity = handle(contract.getSentryActivity, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { days = DEFAULT_DAYS } = input;
  const since = utcDayOf(new Date(ctx.clock.now().getTime() - (days - 1) * DAY));
  const [counts, keys, releases] = await Promise.all([
    listCounts(ctx.db, game.game_id, since),
    listWrongKeys(ctx.db, game.game_id, since),
    listReleases(ctx.db, game.game_id),
  ]);
  const reports = await countReports(
    ctx.db,
    game.game_id,
    releases.map(({ release_id }) => release_id),
  );
  return {
    counts,
    wrong_keys: keys.map((key) => ({ ...key, last_used_at: key.last_used_at.toISOString() })),
    releases: releases.map((release) => ({
      ...release,
      crashes: reports.get(`${release.release_id} crash`) ?? 0,
      errors: reports.get(`${release.release_id} error`) ?? 0,
      created_at: release.created_at.toISOString(),
      last_at: release.last_at.toISOString(),
    })),
  };
});

/** Counts all DSNs together, including revoked ones. */
function listCounts(db: Db, gameId: string, since: string): Promise<Activity['counts']> {
  return rows(
    db,
    sql<Activity['counts'][number]>`select what, type, reason, sum(count)::bigint as count, max(day)::text as last_day
      from sentry_counts where game_id = ${gameId} and day >= ${since}::date
      group by what, type, reason order by 4 desc, what, type, reason limit ${MAX_COUNTS}`,
  );
}

type WrongKey = { key_start: string; count: number; last_used_at: Date };

function listWrongKeys(db: Db, gameId: string, since: string): Promise<WrongKey[]> {
  return rows(
    db,
    sql<WrongKey>`select key_start, sum(count)::bigint as count, max(last_at) as last_used_at
      from sentry_wrong_keys where game_id = ${gameId} and day >= ${since}::date
      group by key_start order by 3 desc, key_start limit ${MAX_KEYS}`,
  );
}

type Release = Pick<Activity['releases'][number], 'release_id' | 'release' | 'dist' | 'os' | 'arch' | 'environment'> & {
  created_at: Date;
  last_at: Date;
};

function listReleases(db: Db, gameId: string): Promise<Release[]> {
  return rows(
    db,
    sql<Release>`select build_id as release_id, release, dist, os, arch, environment, created_at, last_at
      from unregistered_releases where game_id = ${gameId} order by last_at desc, build_id limit ${MAX_RELEASES}`,
  );
}

/** Keys are `release kind`. */
async function countReports(
  db: Db,
  gameId: string,
  releaseIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counted = await rows(
    db,
    sql<{
      release_id: string;
      kind: string;
      count: number;
    }>`select place.build_id as release_id, kind, count(*) as count
      from unnest(${releaseIds}::uuid[]) as place (build_id) cross join lateral (
        select kind from crash_reports where crash_reports.game_id = ${gameId}
          and crash_reports.build_id = place.build_id limit ${LIMITS.releaseReportsCounted}
      ) as counted group by place.build_id, kind`,
  );
  return new Map(counted.map(({ release_id, kind, count }) => [`${release_id} ${kind}`, count]));
}
