// Gives builds the commit that sentry-cli had set for their version before they were registered.
import { readRelease } from '@chauffeur/sentry/release';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { type Db, rows, transact } from '../../../kernel/database/db.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { noteChange } from '../../../request/game-changes.ts';
import { setCommit } from './releases.sql.ts';

export const setCommitsJob = defineJob(
  'sentry:set-commits',
  { attempts: 3, cron: '* * * * *', lane: 'long', queue: 'sentry:set-commits' },
  setCommits,
);

/** Builds of this age are looked at, so that none is missed while no worker runs for a while. */
const LOOK_BACK = HOUR;
const MAX_RELEASES = 1000;

/** Safe to run twice: a build that has a commit keeps it. */
export async function setCommits(ctx: Context): Promise<void> {
  const since = new Date(ctx.clock.now().getTime() - LOOK_BACK);
  for (const { game_id: gameId, version, commit } of await listReleases(ctx.db, since)) {
    const changed = await transact(ctx.db, (tx) => setCommit(tx, gameId, readRelease(version).versions, commit));
    if (changed.length > 0) noteChange(ctx, gameId, 'builds');
  }
}

type Release = { game_id: string; version: string; commit: string };

/** The releases with a commit that may be those of new builds without one, the newest first. */
function listReleases(db: Db, since: Date): Promise<Release[]> {
  return rows(
    db,
    sql<Release>`select game_id, version, commit from sentry_releases
      where commit is not null and exists (
        select from builds where builds.game_id = sentry_releases.game_id and builds.commit is null
          and builds.created_at >= ${since}::timestamptz
          and strpos(sentry_releases.version, regexp_replace(builds.version, '^v', '')) > 0)
      order by created_at desc, game_id, version limit ${MAX_RELEASES}`,
  );
}
