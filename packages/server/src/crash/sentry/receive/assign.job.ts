// Moves the reports of a release that no build had to the build that was registered with its version, or to which a
// developer assigned the release.
import { buildIdOf } from '@chauffeur/sentry/release';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { changed, type Db, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { noteChange } from '../../../request/game-changes.ts';
import { countAgain } from '../../crashes/groups/counts.sql.ts';
import { transactGroups } from '../../crashes/groups/groups.sql.ts';
import { type Candidate, findCandidates, pickBuild, type ReleaseFacts } from './choose-build.ts';

export const assignJob = defineJob(
  'sentry:assign-releases',
  { attempts: 3, cron: '* * * * *', lane: 'long', queue: 'sentry:assign-releases' },
  assignReleases,
);

/** Builds of this age are looked at, so that none is missed while no worker runs for a while. */
const LOOK_BACK = HOUR;
/** A batch is small enough for a short transaction, because a group that gets reports waits for it. */
const BATCH = 200;

type Release = ReleaseFacts & { game_id: string; build_id: string };

/** Safe to run twice, and to repeat after an interruption: the release is deleted once its reports are moved. */
export async function assignReleases(ctx: Context): Promise<void> {
  for (const release of await listReleases(ctx.db, new Date(ctx.clock.now().getTime() - LOOK_BACK))) {
    const { game_id: gameId } = release;
    const buildId = buildIdOf(release.release);
    const facts = { ...release, buildIds: buildId === null ? [] : [buildId], debugIds: [] };
    const candidates = await findCandidates(ctx.db, gameId, facts);
    const build = candidates.find(({ by }) => by === 'assigned') ?? pickBuild(candidates, facts);
    if (build === undefined) continue;
    await assign(ctx, release, build);
    noteChange(ctx, gameId, 'crashes');
  }
}

/** Releases that were assigned by hand, and those of games that have registered a build since. */
function listReleases(db: Db, since: Date): Promise<Release[]> {
  return rows(
    db,
    sql<Release>`select game_id, build_id, release, dist, os, arch, environment from unregistered_releases
      where exists (select from release_builds chosen join builds using (game_id, build_id)
          where chosen.game_id = unregistered_releases.game_id and chosen.release = unregistered_releases.release
            and chosen.dist = unregistered_releases.dist and chosen.os = unregistered_releases.os
            and chosen.arch = unregistered_releases.arch and chosen.environment = unregistered_releases.environment)
        or release <> '' and exists (select from builds where builds.game_id = unregistered_releases.game_id
          and builds.created_at >= unregistered_releases.created_at and builds.created_at >= ${since}::timestamptz)
      order by game_id, build_id`,
  );
}

/** Locks an unregistered release until the transaction ends. Undefined if the game has no such release. */
export function lockRelease(tx: Tx, gameId: string, placeId: string): Promise<Release | undefined> {
  return row(
    tx,
    sql<Release>`select game_id, build_id, release, dist, os, arch, environment from unregistered_releases
      where game_id = ${gameId} and build_id = ${placeId} for update`,
  );
}

/** Has a release get the build, also for later reports, unless another build is found for these. */
export async function chooseByHand(db: Db, release: Release, buildId: string): Promise<void> {
  await changed(
    db,
    sql`insert into release_builds (game_id, release, dist, os, arch, environment, build_id)
      values (${release.game_id}, ${release.release}, ${release.dist}, ${release.os}, ${release.arch},
        ${release.environment}, ${buildId})
      on conflict (game_id, release, dist, os, arch, environment) do update
        set build_id = excluded.build_id`,
  );
}

async function assign({ db, clock }: Context, release: Release, build: Candidate): Promise<void> {
  const { game_id: gameId, build_id: placeId } = release;
  await moveAll(db, release, build);
  // This waits for reports that are being written, and no more are written after it.
  await changed(
    db,
    sql`with deleted as (
        delete from unregistered_releases where game_id = ${gameId} and build_id = ${placeId} returning game_id, build_id
      ) insert into assigned_releases (game_id, place_id, build_id, assigned_at)
      select game_id, build_id, ${build.build_id}::uuid, ${clock.now()}::timestamptz from deleted
      on conflict do nothing`,
  );
  await moveAll(db, release, build);
}

async function moveAll(db: Db, release: Release, build: Candidate): Promise<void> {
  for (;;) {
    const moved = await transactGroups(db, (tx) => moveSome(tx, release, build));
    if (moved === 0) return;
  }
}

type Moved = { report_id: string; group_id: string | null; os: string; day: string };

/** Reports are locked first, by id, and then all of their groups, as in attachReports. */
async function moveSome(tx: Tx, release: Release, build: Candidate): Promise<number> {
  const { game_id: gameId, build_id: fromId } = release;
  const reports = await rows(
    tx,
    sql<Moved>`select report_id, group_id, os, ((received_at at time zone 'utc')::date)::text as day from crash_reports
      where game_id = ${gameId} and build_id = ${fromId} order by report_id limit ${BATCH} for update`,
  );
  if (reports.length === 0) return 0;
  const ids = reports.map(({ report_id }) => report_id);
  await rows(
    tx,
    sql`select from crash_groups where game_id = ${gameId} and group_id in (
        select unnest(${reports.flatMap(({ group_id }) => group_id ?? [])}::uuid[]) union
        select place_id from crash_impact where crash_impact.game_id = ${gameId} and report_id = any(${ids}::uuid[]))
      order by group_id for update`,
  );
  const grouped = reports.filter(({ group_id }) => group_id !== null);
  for (const { table, by } of COUNTERS)
    await moveCounts(tx, { gameId, fromId, toId: build.build_id }, { table, by }, grouped);
  await changed(
    tx,
    sql`update crash_reports set build_id = ${build.build_id},
        app_version = case when app_version = ${release.release} then ${build.version} else app_version end
      where game_id = ${gameId} and report_id = any(${ids}::uuid[])`,
  );
  await countAgain(tx, gameId, ids);
  return reports.length;
}

type Counter = { readonly table: string; readonly by: readonly ('os' | 'day')[] };

/** The counters of groups by build. */
const COUNTERS: readonly Counter[] = [
  { table: 'crash_group_counts', by: ['os', 'day'] },
  { table: 'crash_group_totals', by: ['os'] },
];

async function moveCounts(
  tx: Tx,
  { gameId, fromId, toId }: { gameId: string; fromId: string; toId: string },
  { table, by }: Counter,
  reports: readonly Moved[],
): Promise<void> {
  if (reports.length === 0) return;
  const columns = sql.raw(by.join(', '));
  const same = sql.raw(by.map((column) => `counter.${column} = moved.${column}`).join(' and '));
  const counted = sql`select group_id, ${columns}, count(*) as count
    from unnest(${reports.map(({ group_id }) => group_id)}::uuid[], ${reports.map(({ os }) => os)}::text[],
      ${reports.map(({ day }) => day)}::date[]) as report (group_id, os, day) group by group_id, ${columns}`;
  const ofBuild = (buildId: string): RawBuilder<unknown> => sql`counter.game_id = ${gameId}::uuid
    and counter.group_id = moved.group_id and counter.build_id = ${buildId}::uuid and ${same}`;
  await changed(
    tx,
    sql`with moved as (${counted}) update ${sql.table(table)} counter set count = counter.count - moved.count
      from moved where ${ofBuild(fromId)}`,
  );
  await changed(
    tx,
    sql`delete from ${sql.table(table)} where game_id = ${gameId} and build_id = ${fromId} and count <= 0
      and group_id = any(${reports.map(({ group_id }) => group_id)}::uuid[])`,
  );
  await rowsOfGame(
    tx,
    gameId,
    sql`with moved as (${counted}) insert into ${sql.table(table)} as counter (game_id, group_id, build_id, ${columns}, count)
      select ${gameId}::uuid, group_id, ${toId}::uuid, ${columns}, count from moved order by group_id, ${columns}
      on conflict (game_id, group_id, build_id, ${columns}) do update set count = counter.count + excluded.count
      returning group_id`,
  );
}
