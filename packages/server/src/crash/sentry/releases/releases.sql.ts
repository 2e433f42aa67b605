// The SQL of releases.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';

export type ReleaseRow = {
  version: string;
  created_at: Date;
  released_at: Date | null;
  url: string | null;
  commits: string[];
  deploys: object[];
};

const columns = sql.raw('version, created_at, released_at, url, commits, deploys');

type Change = {
  readonly version: string;
  readonly url: string | null;
  readonly releasedAt: string | null;
  readonly commits: readonly string[] | null;
  /** That of its builds; null if it is unknown. */
  readonly commit: string | null;
  readonly now: Date;
};

/** Adds a release, or changes what is not null. Returns whether it is new. Requires the lock of the game. */
export async function upsertRelease(tx: Tx, gameId: string, change: Change): Promise<boolean> {
  const { version, url, releasedAt, commits, commit, now } = change;
  const updated = await changed(
    tx,
    sql`update sentry_releases set url = coalesce(${url}, url),
        released_at = coalesce(${releasedAt}::timestamptz, released_at),
        commit = case when ${commits}::text[] is null then commit else ${commit}::text end,
        commits = coalesce(${commits}::text[], commits)
      where game_id = ${gameId} and version = ${version}`,
  );
  if (updated > 0) return false;
  await changed(
    tx,
    sql`insert into sentry_releases (game_id, version, created_at, released_at, url, commits, commit)
      values (${gameId}, ${version}, ${now}, ${releasedAt}::timestamptz, ${url}, coalesce(${commits}::text[], '{}'),
        ${commit})`,
  );
  return true;
}

export async function countReleases(db: Db, gameId: string): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from sentry_releases where game_id = ${gameId}`,
  );
  return count;
}

/** Sets the commit of builds that have none. */
export function setCommit(
  tx: Tx,
  gameId: string,
  versions: readonly string[],
  commit: string,
): Promise<{ version: string; os: string; arch: string }[]> {
  return rows(
    tx,
    sql<{ version: string; os: string; arch: string }>`update builds set commit = ${commit}
      where game_id = ${gameId} and version = any(${versions}::text[]) and commit is null
      returning version, os, arch`,
  );
}

/** The newest releases. */
export function listReleases(db: Db, gameId: string, limit: number): Promise<ReleaseRow[]> {
  return rows(
    db,
    sql<ReleaseRow>`select ${columns} from sentry_releases where game_id = ${gameId}
      order by created_at desc, version limit ${limit}`,
  );
}

/** The commit is that of the newest build that has one. */
export type VersionRow = { version: string; created_at: Date; commit: string | null };

/** The newest versions of builds except these. */
export function listVersions(db: Db, gameId: string, except: readonly string[], limit: number): Promise<VersionRow[]> {
  return rows(
    db,
    sql<VersionRow>`
      select version, min(created_at) as created_at, (array_agg(commit order by created_at desc)
        filter (where commit is not null))[1] as commit
      from builds where game_id = ${gameId} and version <> all(${except}::text[])
      group by version order by min(created_at) desc, version limit ${limit}`,
  );
}

/** The builds of the first of these versions that has any. */
export function findVersion(db: Db, gameId: string, versions: readonly string[]): Promise<VersionRow | undefined> {
  return row(
    db,
    sql<VersionRow>`
      select version, min(created_at) as created_at, (array_agg(commit order by created_at desc)
        filter (where commit is not null))[1] as commit
      from builds where game_id = ${gameId} and version = any(${versions}::text[])
      group by version order by array_position(${versions}::text[], version) limit 1`,
  );
}

export function findRelease(db: Db, gameId: string, version: string): Promise<ReleaseRow | undefined> {
  return row(
    db,
    sql<ReleaseRow>`select ${columns} from sentry_releases where game_id = ${gameId} and version = ${version}`,
  );
}

/** The newest other release with commits. */
export function findPrevious(db: Db, gameId: string, version: string): Promise<ReleaseRow | undefined> {
  return row(
    db,
    sql<ReleaseRow>`select ${columns} from sentry_releases
      where game_id = ${gameId} and version <> ${version} and commits <> '{}'
      order by created_at desc, version limit 1`,
  );
}

/** Adds a deploy as the newest one, of which at most `max` are kept. */
export async function addDeploy(
  db: Db,
  gameId: string,
  { version, deploy, max }: { version: string; deploy: object; max: number },
): Promise<void> {
  await changed(
    db,
    sql`update sentry_releases set deploys =
        jsonb_path_query_array(jsonb_build_array(${JSON.stringify(deploy)}::jsonb) || deploys, ${`$[0 to ${max - 1}]`}::jsonpath)
      where game_id = ${gameId} and version = ${version}`,
  );
}

export function deleteRelease(db: Db, gameId: string, version: string): Promise<number> {
  return changed(db, sql`delete from sentry_releases where game_id = ${gameId} and version = ${version}`);
}
