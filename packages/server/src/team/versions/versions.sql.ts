// The SQL that reads the builds of a game by their version.
import type { Arch, Os } from '@chauffeur/contract/identity';
import { sql } from 'kysely';
import { type Db, row, rows } from '../../kernel/database/db.ts';
import { type BuildListRow, sizeOfBuild, stateOfBuild } from '../../ship/builds/builds.sql.ts';
import { downloadsOfBuild } from '../../ship/downloads/downloads.sql.ts';

export type VersionRow = {
  version: string;
  registered_at: Date;
  /** Microseconds since 1970, for a cursor. */
  registered_us: string;
  builds: number;
};

export type VersionPosition = { registeredUs: string; version: string };

type Filters = {
  search: string | undefined;
  /** Versions with a build that was registered for this channel, and the versions that it offers. */
  channel: { readonly name: string; readonly offered: readonly string[] } | undefined;
};

const versionColumns = sql`version, min(created_at) as registered_at,
  (extract(epoch from min(created_at)) * 1000000)::bigint::text as registered_us, count(*) as builds`;

/** The versions after `after` with at least one build, the one registered last first. */
export function listVersions(
  db: Db,
  gameId: string,
  { search, channel }: Filters,
  { after, limit }: { after: VersionPosition | null; limit: number },
): Promise<VersionRow[]> {
  const conditions = [sql`true`];
  if (search !== undefined)
    conditions.push(sql`bool_or(position(lower(${search}) in lower(version || ' ' || title)) > 0)`);
  if (channel !== undefined)
    conditions.push(sql`(bool_or(channel = ${channel.name}) or version = any(${channel.offered}::text[]))`);
  if (after !== null)
    conditions.push(
      sql`(min(created_at), version) < (to_timestamp(0) + ${after.registeredUs}::bigint * interval '1 microsecond', ${after.version})`,
    );
  return rows(
    db,
    sql<VersionRow>`select ${versionColumns} from builds where game_id = ${gameId} group by version
      having ${sql.join(conditions, sql` and `)} order by min(created_at) desc, version desc limit ${limit}`,
  );
}

export function findVersion(db: Db, gameId: string, version: string): Promise<VersionRow | undefined> {
  return row(
    db,
    sql<VersionRow>`select ${versionColumns} from builds where game_id = ${gameId} and version = ${version} group by version`,
  );
}

export type NeighbourRow = { side: 'previous' | 'next'; version: string; registered_at: Date };

/** The versions that were registered before and after this one. */
export function findNeighbours(db: Db, gameId: string, version: string): Promise<NeighbourRow[]> {
  return rows(
    db,
    sql<NeighbourRow>`with versions as (
        select version, min(created_at) as registered_at from builds where game_id = ${gameId} group by version
      ), this as (select registered_at as at from versions where version = ${version})
      (select 'previous' as side, versions.* from versions, this where (registered_at, version) < (at, ${version})
        order by registered_at desc, version desc limit 1)
      union all
      (select 'next', versions.* from versions, this where (registered_at, version) > (at, ${version})
        order by registered_at, version limit 1)`,
  );
}

export type VersionFacts = { version: string; downloads: number; notes: string | null };

/** The downloads of each version, and the first line of the notes of its newest build with notes. */
export function readFacts(db: Db, gameId: string, versions: readonly string[]): Promise<VersionFacts[]> {
  return rows(
    db,
    sql<VersionFacts>`select version, sum(${downloadsOfBuild})::bigint as downloads,
        (array_agg(line order by created_at desc, build_id desc) filter (where line is not null))[1] as notes
      from builds cross join lateral (
        select coalesce(nullif(changelog -> 0 ->> 'title', ''),
          nullif(split_part(btrim(description, E' \n\r\t'), E'\n', 1), '')) as line
      ) as noted
      where game_id = ${gameId} and version = any(${versions}::text[]) group by version`,
  );
}

export type VersionBuildRow = Pick<BuildListRow, 'build_id' | 'version' | 'build_type' | 'channel' | 'state'> & {
  os: Os;
  arch: Arch;
  size: number | null;
};

/** Up to `limit` builds of each version, by platform, the newest first on each. */
export function readBuilds(
  db: Db,
  gameId: string,
  versions: readonly string[],
  limit: number,
): Promise<VersionBuildRow[]> {
  return rows(
    db,
    sql<VersionBuildRow>`select version, build_id, os, arch, build_type, channel, ${stateOfBuild} as state, ${sizeOfBuild} as size
      from (
        select *, row_number() over (partition by version order by os, arch, created_at desc, build_id desc) as rank
        from builds where game_id = ${gameId} and version = any(${versions}::text[])
      ) as builds
      where rank <= ${limit} order by version, rank`,
  );
}

export type DeletedBuildRow = { build_id: string; os: Os; arch: Arch; deleted_at: Date; deleted_by: string };

export function listDeletedBuilds(db: Db, gameId: string, version: string, limit: number): Promise<DeletedBuildRow[]> {
  return rows(
    db,
    sql<DeletedBuildRow>`select build_id, os, arch, deleted_at, deleted_by from deleted_builds
      where game_id = ${gameId} and version = ${version} order by deleted_at desc, build_id desc limit ${limit}`,
  );
}

/** The number of symbol files of each build that has some. */
export function countSymbols(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
): Promise<{ build_id: string; symbols: number }[]> {
  return rows(
    db,
    sql<{ build_id: string; symbols: number }>`select build_id, count(*) as symbols from symbols
      where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) group by build_id`,
  );
}

export type CommitRow = { build_id: string; os: string; arch: string; commit: string };

/** The builds of a version with a known commit, the newest first. */
export function listCommitsOfBuilds(db: Db, gameId: string, version: string, limit: number): Promise<CommitRow[]> {
  return rows(
    db,
    sql<CommitRow>`select build_id, os, arch, commit from builds
      where game_id = ${gameId} and version = ${version} and commit is not null
      order by created_at desc, build_id desc limit ${limit}`,
  );
}
