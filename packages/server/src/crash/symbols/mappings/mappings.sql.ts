// The SQL of mappings: scripts, source maps, and mappings of ProGuard, R8 and IL2CPP. Files of a game with the same
// content share one blob.
import type { SymbolState } from '@chauffeur/contract/operations/symbols';
import type { MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';
import { sql } from 'kysely';
import { changed, type Db, keepPlan, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { ofBuild, type SymbolRow } from '../symbol-rows.ts';

/** What a file belongs to: a build, a release, or all builds with its debug id. Texts are empty if they are unknown. */
export type MappingAddress = {
  readonly kind: MappingKind;
  readonly buildId: string | null;
  readonly debugId: string;
  readonly release: string;
  readonly dist: string;
  readonly url: string;
  readonly fileName: string;
};

export type NewMapping = MappingAddress & {
  readonly mappingUid: string;
  readonly mapUrl: string;
  readonly size: number;
  readonly storedSize: number;
  readonly checksum: string;
  readonly blobKey: string;
};

export type RecordedMapping = {
  mapping_uid: string;
  kind: MappingKind;
  checksum: string;
  state: SymbolState;
  problem: string | null;
  blob_key: string | null;
};

/**
 * Adds files, each with another address, or replaces the files that have their address. Known content keeps its blob, unless
 * it was unreadable. Requires `lockSymbols`.
 */
export function upsertMappings(
  tx: Tx,
  gameId: string,
  keyRef: string,
  mappings: readonly NewMapping[],
): Promise<RecordedMapping[]> {
  const column = (name: keyof NewMapping) => mappings.map((mapping) => mapping[name]);
  return rows(
    tx,
    sql<RecordedMapping>`
      insert into mappings (game_id, key_ref, mapping_uid, kind, build_id, debug_id, release, dist, url, map_url,
        file_name, size, checksum, stored_size, blob_key, state, ready_at)
      select ${gameId}, ${keyRef}, new.mapping_uid, new.kind, new.build_id, new.debug_id, new.release, new.dist, new.url,
        new.map_url, new.file_name, new.size, new.checksum, coalesce(same.stored_size, new.stored_size),
        coalesce(same.blob_key, new.blob_key),
        coalesce(same.state, case when new.kind = 'script' then 'compiled' else 'stored' end),
        case when new.kind = 'script' or same.state = 'compiled' then clock_timestamp() end
      from unnest(${column('mappingUid')}::uuid[], ${column('kind')}::text[], ${column('buildId')}::uuid[],
        ${column('debugId')}::text[], ${column('release')}::text[], ${column('dist')}::text[],
        ${column('url')}::text[], ${column('mapUrl')}::text[], ${column('fileName')}::text[],
        ${column('size')}::bigint[], ${column('checksum')}::text[], ${column('storedSize')}::bigint[],
        ${column('blobKey')}::text[]) as new (mapping_uid, kind, build_id, debug_id, release, dist, url, map_url,
          file_name, size, checksum, stored_size, blob_key)
      left join lateral (
        select stored_size, blob_key, state from mappings
        where game_id = ${gameId} and mappings.checksum = new.checksum and mappings.kind = new.kind
          and state <> 'unreadable'
        limit 1
      ) same on true
      on conflict (game_id, build_id, kind, debug_id, release, dist, url, file_name) do update
        set map_url = excluded.map_url, size = excluded.size, checksum = excluded.checksum,
          stored_size = excluded.stored_size, blob_key = excluded.blob_key, state = excluded.state, ready_at = excluded.ready_at,
          problem = null,
          key_ref = excluded.key_ref, uploaded_at = excluded.uploaded_at
      returning mapping_uid, kind, checksum, state, problem, blob_key`,
  );
}

/** The columns of a file in a list of symbols, where it is named by its address. */
export const mappingColumns = sql.raw(
  `mapping_uid as symbol_uid, build_id, kind, case when url = '' then file_name else url end as debug_file, debug_id,
  '' as code_id, '' as os, '' as cpu, size, checksum, state, problem, null::integer as functions,
  null::smallint as detail, null::integer as unwind, null::text as native_checksum, uploaded_at,
  null::timestamptz as poorer_at, null::smallint as best_detail, null::integer as best_unwind`,
);

/** These files of a build, ordered by name. */
export function mappingsOfBuild(
  db: Db,
  gameId: string,
  buildId: string | null,
  mappingUids: readonly string[],
): Promise<SymbolRow[]> {
  return rows(
    db,
    sql<SymbolRow>`select ${mappingColumns} from mappings
      where game_id = ${gameId} and ${ofBuild(buildId)} and mapping_uid = any(${mappingUids}::uuid[])
      order by lower(case when url = '' then file_name else url end), mapping_uid`,
  );
}

/** Deletes one or all files of a build. The sweep deletes blobs that are no longer used. */
export function deleteMappings(
  db: Db,
  gameId: string,
  buildId: string | null,
  mappingUid: string | null,
): Promise<number> {
  return changed(
    db,
    sql`delete from mappings where game_id = ${gameId} and ${ofBuild(buildId)}
      and (${mappingUid}::uuid is null or mapping_uid = ${mappingUid}::uuid)`,
  );
}

/** What a tool that uploaded a file asks for: whether it is used by now. Undefined once it is deleted. */
export function findMapping(
  db: Db,
  gameId: string,
  mappingUid: string,
): Promise<Pick<RecordedMapping, 'state' | 'problem'> | undefined> {
  return row(
    db,
    sql<Pick<RecordedMapping, 'state' | 'problem'>>`select state, problem from mappings
      where game_id = ${gameId} and mapping_uid = ${mappingUid}`,
  );
}

export type UncheckedContent = { kind: MappingKind; blob_key: string; size: number };

/** Undefined if it was checked or deleted in the meantime. */
export function findUnchecked(db: Db, gameId: string, checksum: string): Promise<UncheckedContent | undefined> {
  return row(
    db,
    sql<UncheckedContent>`select kind, blob_key, size from mappings
      where game_id = ${gameId} and checksum = ${checksum} and state = 'stored' limit 1`,
  );
}

/** Records that a content can be used, or why it can't be. Returns whether it was unchecked until now. */
export async function recordChecked(
  tx: Tx,
  gameId: string,
  { checksum, blobKey }: { checksum: string; blobKey: string },
  problem: string | null,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update mappings set state = case when ${problem}::text is null then 'compiled' else 'unreadable' end,
        problem = ${problem}::text, ready_at = case when ${problem}::text is null then clock_timestamp() end,
        blob_key = case when ${problem}::text is null then blob_key end
      where game_id = ${gameId} and checksum = ${checksum} and blob_key = ${blobKey} and state = 'stored'`,
  );
  return count > 0;
}

/** Of a build, a release, or neither. */
export type MappingOwner = Pick<MappingAddress, 'kind' | 'debugId' | 'release' | 'url'> & {
  readonly build_id: string | null;
  readonly file_name: string;
};

/** The files with this content. */
export function addressesOf(db: Db, gameId: string, checksum: string): Promise<MappingOwner[]> {
  return rows(
    db,
    sql<MappingOwner>`select kind, debug_id as "debugId", release, url, build_id, file_name from mappings
      where game_id = ${gameId} and checksum = ${checksum} and state = 'compiled' limit 100`,
  );
}

/** The blobs that rows refer to. */
export const mappingBlobs = sql`select distinct blob_key as key, size, checksum as sha256, 'gzip' as packing from mappings
  where blob_key is not null`;

/** Deletes files that belong to no build, which no report has used since `before`. Returns their number. */
export function deleteUnusedMappings(db: Db, before: Date): Promise<number> {
  return changed(
    db,
    sql`delete from mappings where build_id is null and uploaded_at < ${before}
      and (used_on is null or used_on < ${before}::date)`,
  );
}

/** What the scripts of a report may be found by. */
export type MappingSearch = {
  readonly debugIds: readonly string[];
  readonly urls: readonly string[];
  /** The last parts of URLs, for files of the build in folders that aren't part of its address. */
  readonly names: readonly string[];
  readonly buildId: string;
  /** Releases as the report names them, and the versions that they may be. */
  readonly releases: readonly string[];
};

export type FoundMapping = {
  mapping_uid: string;
  kind: MappingKind;
  build_id: string | null;
  debug_id: string;
  dist: string;
  url: string;
  map_url: string;
  blob_key: string;
  size: number;
  is_used_today: boolean;
};

const MAX_FOUND = 1000;

/**
 * The usable files with one of the debug ids, or with one of the URLs in the build or release. Those of the build come
 * first, then the newest.
 */
export function findMappings(
  db: Db,
  gameId: string,
  { debugIds, urls, names, buildId, releases }: MappingSearch,
): Promise<FoundMapping[]> {
  return rows(
    db,
    sql<FoundMapping>`select mapping_uid, kind, build_id, debug_id, dist, url, map_url, blob_key, size,
        coalesce(used_on = current_date, false) as is_used_today
      from mappings
      where game_id = ${gameId} and state = 'compiled' and (
        (debug_id <> '' and debug_id = any(${debugIds}::text[]))
        or (url <> '' and url = any(${urls}::text[]) and (build_id = ${buildId}::uuid
          or (release <> '' and (release = any(${releases}::text[])
            or regexp_replace(release, '^.*@', '') = any(${releases}::text[])))))
        or (build_id = ${buildId}::uuid and url <> '' and regexp_replace(url, '^.*/', '') = any(${names}::text[])))
      order by build_id is not distinct from ${buildId}::uuid desc, uploaded_at desc limit ${MAX_FOUND}`,
  );
}

/** The mapping of ProGuard or R8 of a build; undefined if it has none, or several. */
export async function findProguardOfBuild(db: Db, gameId: string, buildId: string): Promise<FoundMapping | undefined> {
  const found = await rows(
    db,
    sql<FoundMapping>`select distinct on (debug_id) mapping_uid, kind, build_id, debug_id, dist, url, map_url, blob_key,
        size, coalesce(used_on = current_date, false) as is_used_today
      from mappings
      where game_id = ${gameId} and state = 'compiled' and kind = 'proguard' and build_id = ${buildId}::uuid
      order by debug_id limit 2`,
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The line mappings of IL2CPP for modules with these ids, or of the build. */
export function findLineMappings(
  db: Db,
  gameId: string,
  { debugIds, buildId }: { debugIds: readonly string[]; buildId: string },
): Promise<FoundMapping[]> {
  return rows(
    db,
    sql<FoundMapping>`select mapping_uid, kind, build_id, debug_id, dist, url, map_url, blob_key, size,
        coalesce(used_on = current_date, false) as is_used_today
      from mappings
      where game_id = ${gameId} and state = 'compiled' and kind = 'il2cpp'
        and (debug_id = any(${debugIds}::text[]) or build_id = ${buildId}::uuid)
      order by debug_id = any(${debugIds}::text[]) desc, uploaded_at desc limit 1`,
  );
}

/** Records that files were used, so that they are kept. */
export async function markUsed(db: Db, gameId: string, mappingUids: readonly string[]): Promise<void> {
  await changed(
    db,
    sql`update mappings set used_on = current_date
      where game_id = ${gameId} and mapping_uid = any(${mappingUids}::uuid[])`,
  );
}

/** Which of these debug ids, and of these names of scripts, have a usable source map or mapping by now. */
export async function findArrived(
  db: Db,
  gameId: string,
  { debugIds, names }: { debugIds: readonly string[]; names: readonly string[] },
): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ arrived: string }>`
      select debug_id as arrived from mappings
      where game_id = ${gameId} and state = 'compiled' and kind in ('source_map', 'proguard')
        and debug_id <> '' and debug_id = any(${debugIds}::text[])
      union
      select regexp_replace(url, '^.*/', '') from mappings
      where game_id = ${gameId} and state = 'compiled' and kind = 'source_map' and cardinality(${names}::text[]) > 0
        and regexp_replace(url, '^.*/', '') = any(${names}::text[])`,
  );
  return new Set(found.map(({ arrived }) => arrived));
}

/** Changes when files of the game become usable. Compare it with that of a few minutes before at most. */
export async function readMappingsMark(db: Db, gameId: string): Promise<string> {
  const { mark } = await onlyRow(
    db,
    keepPlan(sql<{ mark: string }>`select count(*) || ' ' || coalesce(max(ready_at)::text, '') as mark from mappings
      where game_id = ${gameId} and ready_at > now() - interval '10 minutes'`),
  );
  return mark;
}
