// The SQL of files that sentry-cli uploads: chunks, which are kept for a short time, and the files made of them.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';

export type NewChunk = { readonly sha1: string; readonly size: number; readonly blobKey: string };

export function readChunkTotals(db: Db, gameId: string): Promise<{ count: number; bytes: number }> {
  return onlyRow(
    db,
    sql<{ count: number; bytes: number }>`select count(*) as count, coalesce(sum(size), 0)::bigint as bytes
      from sentry_chunks where game_id = ${gameId}`,
  );
}

/** Adds chunks, each with another hash. Returns the keys of the blobs that are used: a known chunk keeps its own. */
export async function insertChunks(
  db: Db,
  gameId: string,
  chunks: readonly NewChunk[],
  now: Date,
): Promise<Set<string>> {
  const inserted = await rows(
    db,
    sql<{ blob_key: string }>`insert into sentry_chunks (game_id, sha1, size, blob_key, used_at)
      select ${gameId}::uuid, new.*, ${now}::timestamptz
      from unnest(${chunks.map(({ sha1 }) => sha1)}::text[], ${chunks.map(({ size }) => size)}::integer[],
        ${chunks.map(({ blobKey }) => blobKey)}::text[]) as new
      on conflict (game_id, sha1) do update set used_at = greatest(sentry_chunks.used_at, excluded.used_at)
      returning blob_key`,
  );
  return new Set(inserted.map(({ blob_key }) => blob_key));
}

/** Which of these chunks there are. They are kept for another while. */
export async function touchChunks(db: Db, gameId: string, sha1s: readonly string[], now: Date): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ sha1: string }>`update sentry_chunks set used_at = greatest(used_at, ${now}::timestamptz)
      where game_id = ${gameId} and sha1 in (
        select sha1 from sentry_chunks where game_id = ${gameId} and sha1 = any(${sha1s}::text[]) order by sha1 for update
      ) returning sha1`,
  );
  return new Set(found.map(({ sha1 }) => sha1));
}

export type ChunkRow = { sha1: string; size: number; blob_key: string };

export function listChunks(db: Db, gameId: string, sha1s: readonly string[]): Promise<ChunkRow[]> {
  return rows(
    db,
    sql<ChunkRow>`select sha1, size, blob_key from sentry_chunks
      where game_id = ${gameId} and sha1 = any(${sha1s}::text[])`,
  );
}

/** Deletes chunks that were not used since `before`, except those of queued files. Returns the keys of their blobs. */
export async function deleteOldChunks(db: Db, before: Date, limit: number): Promise<string[]> {
  const deleted = await rows(
    db,
    sql<{ blob_key: string }>`delete from sentry_chunks where (game_id, sha1) in (
        select game_id, sha1 from sentry_chunks
        where used_at < ${before} and not exists (select from sentry_files
          where sentry_files.game_id = sentry_chunks.game_id and state = 'queued'
            and sentry_chunks.sha1 = any(sentry_files.chunks))
        limit ${limit} for update skip locked
      ) and used_at < ${before} returning blob_key`,
  );
  return deleted.map(({ blob_key }) => blob_key);
}

/** Deletes a chunk whose blob is missing. */
export async function forgetChunk(db: Db, gameId: string, blobKey: string): Promise<void> {
  await changed(db, sql`delete from sentry_chunks where game_id = ${gameId} and blob_key = ${blobKey}`);
}

export type FileRow = {
  sha1: string;
  name: string;
  debug_id: string;
  state: 'queued' | 'stored' | 'failed';
  problem: string | null;
  checksum: string | null;
  mapping_uids: string[];
  size: number | null;
  asked_at: Date;
  created_at: Date;
  done_at: Date | null;
};

export function listFiles(db: Db, gameId: string, sha1s: readonly string[]): Promise<FileRow[]> {
  return rows(
    db,
    sql<FileRow>`select sha1, name, debug_id, state, problem, checksum, mapping_uids, size, asked_at, created_at, done_at
      from sentry_files where game_id = ${gameId} and sha1 = any(${sha1s}::text[])`,
  );
}

export async function touchFiles(db: Db, gameId: string, sha1s: readonly string[], now: Date): Promise<void> {
  await changed(
    db,
    sql`update sentry_files set asked_at = ${now} where game_id = ${gameId} and sha1 = any(${sha1s}::text[])`,
  );
}

/** Forgets files that are not queued, so that they are uploaded again. */
export async function forgetFiles(db: Db, gameId: string, sha1s: readonly string[]): Promise<void> {
  await changed(
    db,
    sql`delete from sentry_files where game_id = ${gameId} and sha1 = any(${sha1s}::text[]) and state <> 'queued'`,
  );
}

export type NewFile = {
  readonly sha1: string;
  readonly name: string;
  readonly debugId: string;
  readonly release: string;
  readonly dist: string;
  readonly chunks: readonly string[];
};

/** Adds a file unless it is known. Returns whether it is new. */
export async function insertFile(
  tx: Tx,
  gameId: string,
  { file, keyRef, now }: { file: NewFile; keyRef: string; now: Date },
): Promise<boolean> {
  const { sha1, name, debugId, release, dist, chunks } = file;
  const added = await changed(
    tx,
    sql`insert into sentry_files
        (game_id, sha1, name, debug_id, release, dist, chunks, state, key_ref, created_at, asked_at)
      values (${gameId}, ${sha1}, ${name}, ${debugId}, ${release}, ${dist}, ${chunks}::text[], 'queued', ${keyRef},
        ${now}, ${now})
      on conflict do nothing`,
  );
  return added > 0;
}

export async function countFiles(db: Db, gameId: string): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from sentry_files where game_id = ${gameId}`,
  );
  return count;
}

export type QueuedFile = {
  name: string;
  debug_id: string;
  release: string;
  dist: string;
  chunks: string[];
  key_ref: string;
};

/** Undefined once it is done or deleted. */
export function findQueued(db: Db, gameId: string, sha1: string): Promise<QueuedFile | undefined> {
  return row(
    db,
    sql<QueuedFile>`select name, debug_id, release, dist, chunks, key_ref from sentry_files
      where game_id = ${gameId} and sha1 = ${sha1} and state = 'queued'`,
  );
}

export type Stored = {
  readonly checksum: string | null;
  readonly mappingUids: readonly string[];
  readonly size: number;
};

export async function recordStored(
  db: Db,
  gameId: string,
  sha1: string,
  { checksum, mappingUids, size, now }: Stored & { now: Date },
): Promise<void> {
  await changed(
    db,
    sql`update sentry_files set state = 'stored', checksum = ${checksum}, mapping_uids = ${mappingUids}::uuid[],
        size = ${size}, done_at = ${now}
      where game_id = ${gameId} and sha1 = ${sha1} and state = 'queued'`,
  );
}

export async function recordFailed(
  db: Db,
  gameId: string,
  sha1: string,
  { problem, now }: { problem: string; now: Date },
): Promise<void> {
  await changed(
    db,
    sql`update sentry_files set state = 'failed', problem = ${problem}, done_at = ${now}
      where game_id = ${gameId} and sha1 = ${sha1} and state = 'queued'`,
  );
}

/** Deletes files that no client has asked for since `before`. What they became stays. */
export async function deleteOldFiles(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from sentry_files where asked_at < ${before} and state <> 'queued'`);
}

/** What became of a stored file: a native file that waits or failed, or symbols. */
export type OutcomeRow = {
  checksum: string;
  state: 'converting' | 'stored' | 'compiled' | 'unreadable';
  problem: string | null;
  debug_file: string;
  debug_id: string;
  cpu: string;
  detail: number | null;
  unwind: number | null;
};

/** The outcomes of files with these SHA-256. A file that became several symbol files has several. */
export function listOutcomes(db: Db, gameId: string, checksums: readonly string[]): Promise<OutcomeRow[]> {
  return rows(
    db,
    sql<OutcomeRow>`
      select checksum, case when blob_key is null then 'unreadable' else 'converting' end as state, problem,
        file_name as debug_file, '' as debug_id, '' as cpu, null::smallint as detail, null::integer as unwind
      from native_symbols
      where game_id = ${gameId} and build_id is null and checksum = any(${checksums}::text[])
      union all
      select case when symbols.checksum = any(${checksums}::text[]) then symbols.checksum else native_checksum end,
        state, problem, debug_file, debug_id, cpu, detail, unwind
      from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId}
        and (symbols.checksum = any(${checksums}::text[]) or native_checksum = any(${checksums}::text[]))`,
  );
}

/** The debug ids with which the game has symbols that are not unreadable, and whether some are compiled. */
export async function listKnownIds(db: Db, gameId: string, debugIds: readonly string[]): Promise<Map<string, boolean>> {
  const found = await rows(
    db,
    sql<{
      debug_id: string;
      compiled: boolean;
    }>`select debug_id, coalesce(bool_or(state = 'compiled'), false) as compiled
      from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId} and debug_id = any(${debugIds}::text[]) and state <> 'unreadable' group by debug_id`,
  );
  return new Map(found.map(({ debug_id, compiled }) => [debug_id, compiled]));
}

export type MappingRow = { mapping_uid: string; state: 'stored' | 'compiled' | 'unreadable'; problem: string | null };

export function listMappings(db: Db, gameId: string, mappingUids: readonly string[]): Promise<MappingRow[]> {
  return rows(
    db,
    sql<MappingRow>`select mapping_uid, state, problem from mappings
      where game_id = ${gameId} and mapping_uid = any(${mappingUids}::uuid[])`,
  );
}
