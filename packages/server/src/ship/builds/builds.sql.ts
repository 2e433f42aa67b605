// The SQL of builds.
import type { Arch, BuildIdentity, Os } from '@chauffeur/contract/identity';
import type { BuildOrder } from '@chauffeur/contract/operations/builds';
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, row, rows } from '../../kernel/database/db.ts';
import { downloadsOfBuild } from '../downloads/downloads.sql.ts';
import { type FileFacts, type FileOrigin, offered } from '../files/files.ts';

type ChangelogItem = { title: string; description: string };

export type BuildRow = {
  game_id: string;
  build_id: string;
  version: string;
  build_type: string;
  os: Os;
  arch: Arch;
  channel: string;
  title: string;
  changelog: ChangelogItem[];
  commit: string | null;
  created_at: Date;
};

/** The position of a build in the list: its registration time in microseconds since 1970, and its id. */
export type BuildPosition = { createdUs: string; buildId: string };

export type BuildListRow = Omit<BuildRow, 'game_id'> & {
  created_us: string;
  description: string;
  engine_version: string | null;
  updated_at: Date;
  file: (FileFacts & { origin: FileOrigin }) | null;
  downloads: number;
  state: 'registered' | 'processing' | 'ready' | 'rejected';
};

type NewBuild = BuildIdentity & {
  buildId: string;
  title: string;
  description: string;
  engineVersion: string | null;
  commit: string | null;
  changelog: ChangelogItem[];
};

const columns = sql.raw(
  'game_id, build_id, version, build_type, os, arch, channel, title, changelog, commit, created_at',
);

/** Registers a build in a single statement, so concurrent registrations of one identity create one build. */
export function upsertBuild(db: Db, gameId: string, build: NewBuild): Promise<{ build_id: string; created: boolean }> {
  return onlyRow(
    db,
    sql<{ build_id: string; created: boolean }>`
      insert into builds (game_id, build_id, version, build_type, os, arch, channel, title, description, engine_version, commit, changelog)
      values (${gameId}, ${build.buildId}, ${build.version}, ${build.build_type}, ${build.os}, ${build.arch}, ${build.channel},
        ${build.title}, ${build.description}, ${build.engineVersion}, ${build.commit}, ${JSON.stringify(build.changelog)})
      on conflict (game_id, version, build_type, os, arch, channel) do update set
        title = excluded.title, description = excluded.description, changelog = excluded.changelog,
        engine_version = coalesce(excluded.engine_version, builds.engine_version),
        commit = coalesce(excluded.commit, builds.commit), updated_at = clock_timestamp()
      returning build_id, build_id = ${build.buildId}::uuid as created`,
  );
}

export function findBuilds(db: Db, gameId: string, buildIds: readonly string[]): Promise<BuildRow[]> {
  return rows(
    db,
    sql<BuildRow>`select ${columns} from builds where game_id = ${gameId} and build_id = any(${buildIds}::uuid[])`,
  );
}

export function findBuildsOfVersion(db: Db, gameId: string, version: string): Promise<BuildRow[]> {
  return rows(
    db,
    sql<BuildRow>`select ${columns} from builds where game_id = ${gameId} and version = ${version}
      order by created_at desc, build_id desc`,
  );
}

export function findByIdentity(db: Db, gameId: string, identity: BuildIdentity): Promise<BuildRow | undefined> {
  const { version, build_type, os, arch, channel } = identity;
  return row(
    db,
    sql<BuildRow>`select ${columns} from builds where game_id = ${gameId} and version = ${version} and build_type = ${build_type}
      and os = ${os} and arch = ${arch} and channel = ${channel}`,
  );
}

type Filters = {
  version?: string | undefined;
  os?: string | undefined;
  arch?: string | undefined;
  channel?: string | undefined;
  state?: string | undefined;
  search?: string | undefined;
};

const newestFile = sql`select file_id, filename, size, checksum, scan_state, uploaded_at, origin from files
  where files.game_id = builds.game_id and files.build_id = builds.build_id order by uploaded_at desc, file_id desc limit 1`;

/**
 * The state of a build (spec: Builds). It depends on the newest file, except that a build with an offered file stays
 * ready if a newer file is rejected.
 */
export const stateOfBuild = sql`(select case
    when newest.scan_state is null then 'registered'
    when newest.scan_state in ('pending', 'scanning') then 'processing'
    when exists (select from files where files.game_id = builds.game_id and files.build_id = builds.build_id
      and ${offered}) then 'ready'
    else 'rejected' end
  from (select) as build left join lateral (${newestFile}) newest on true)`;

/** The size of the newest file of a row of `builds`; null if it has none. */
export const sizeOfBuild = sql<number | null>`(select size from (${newestFile}) newest)`;

const createdUs = sql`(extract(epoch from created_at) * 1000000)::bigint`;

const listed = sql`build_id, version, build_type, os, arch, channel, title, description, engine_version, commit, changelog, created_at, updated_at,
  ${createdUs}::text as created_us,
  (select to_jsonb(newest) from (${newestFile}) newest) as file, ${stateOfBuild} as state, ${downloadsOfBuild} as downloads`;

function matching(gameId: string, { version, os, arch, channel, state, search }: Filters) {
  return sql`builds.game_id = ${gameId}
    and (${version ?? null}::text is null or version = ${version ?? null})
    and (${os ?? null}::text is null or os = ${os ?? null})
    and (${arch ?? null}::text is null or arch = ${arch ?? null})
    and (${channel ?? null}::text is null or channel = ${channel ?? null})
    and (${search ?? null}::text is null or position(lower(${search ?? null}) in lower(version || ' ' || title)) > 0)
    and (${state ?? null}::text is null or ${state ?? null} = ${stateOfBuild})`;
}

/** The columns that come before the time of registration in each order. */
const ORDERS: Readonly<Record<BuildOrder, RawBuilder<unknown>>> = {
  registered: sql``,
  downloads: sql`${downloadsOfBuild} desc,`,
  size: sql`${sizeOfBuild} desc nulls last,`,
};

/** `after` is only for the order of registration. */
type Part = { after?: BuildPosition | undefined; limit: number; offset?: number; order?: BuildOrder | undefined };

export function listBuilds(
  db: Db,
  gameId: string,
  filters: Filters,
  { after, limit, offset = 0, order = 'registered' }: Part,
): Promise<BuildListRow[]> {
  const afterCursor =
    after === undefined
      ? sql`true`
      : sql`(created_at, build_id) < (to_timestamp(0) + ${after.createdUs}::bigint * interval '1 microsecond', ${after.buildId})`;
  return rows(
    db,
    sql<BuildListRow>`
      select ${listed} from builds where ${matching(gameId, filters)} and ${afterCursor}
      order by ${ORDERS[order]} created_at desc, build_id desc limit ${limit} offset ${offset}`,
  );
}

const FILES_LISTED = 20;

/** Files are listed newest first, with times in PostgreSQL's JSON format. */
export type BuildContent = { build_id: string; files: NonNullable<BuildListRow['file']>[]; symbols: number };

/** The files of these builds and their numbers of symbol files. */
export function readContents(db: Db, gameId: string, buildIds: readonly string[]): Promise<BuildContent[]> {
  return rows(
    db,
    sql<BuildContent>`select build_id,
        coalesce((select jsonb_agg(to_jsonb(newest) order by newest.uploaded_at desc, newest.file_id desc) from (
          select file_id, filename, size, checksum, scan_state, uploaded_at from files
          where files.game_id = builds.game_id and files.build_id = builds.build_id
          order by uploaded_at desc, file_id desc limit ${FILES_LISTED}) newest), '[]') as files,
        (select count(*) from symbols where symbols.game_id = builds.game_id and symbols.build_id = builds.build_id) as symbols
      from builds where game_id = ${gameId} and build_id = any(${buildIds}::uuid[])`,
  );
}

export function readBuild(db: Db, gameId: string, buildId: string): Promise<BuildListRow | undefined> {
  return row(db, sql<BuildListRow>`select ${listed} from builds where game_id = ${gameId} and build_id = ${buildId}`);
}

export type DeletedRow = { version: string; deleted_at: Date; deleted_by: string };

export function findDeleted(db: Db, gameId: string, buildId: string): Promise<DeletedRow | undefined> {
  return row(
    db,
    sql<DeletedRow>`select version, deleted_at, deleted_by from deleted_builds where game_id = ${gameId} and build_id = ${buildId}`,
  );
}

export async function countBuilds(db: Db, gameId: string, filters: Filters): Promise<number> {
  const { total } = await onlyRow(
    db,
    sql<{ total: number }>`select count(*) as total from builds where ${matching(gameId, filters)}`,
  );
  return total;
}
