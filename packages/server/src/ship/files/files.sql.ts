// The SQL of files, their scan history and their entries.
import type { ScanState } from '@chauffeur/contract/operations/files';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type FileOrigin =
  | { type: 'deploy_key'; key_ref: string }
  | { type: 'cli_login' | 'api_token'; key_ref: string; user: string }
  | { type: 'website'; user: string };

/** How many bytes of a zip are from an earlier file of the game. */
export type ReusedBytes = { readonly file_uid: string; readonly bytes: number };

export type GameFileRow = {
  game_id: string;
  file_id: string;
  build_id: string;
  filename: string;
  size: number;
  checksum: string;
  blob_key: string;
  origin: FileOrigin;
  /** Null unless the server composed the zip. */
  reused: readonly ReusedBytes[] | null;
  scan_state: ScanState;
  uploaded_at: Date;
  rejected_at: Date | null;
};

export type NewGameFile = {
  gameId: string;
  fileId: string;
  buildId: string;
  filename: string;
  size: number;
  checksum: string;
  blobKey: string;
  origin: FileOrigin;
  reused: readonly ReusedBytes[] | null;
};

export type NewScanEvent = {
  state: ScanState;
  engine: string | null;
  signatureVersion: string | null;
  detail: string | null;
};
export type ScanEventRow = {
  at: Date;
  state: ScanState;
  engine: string | null;
  signature_version: string | null;
  detail: string | null;
};
export type StoredEntry = { path: string; type: 'file' | 'folder' | 'symlink'; size: number; sha256: string | null };

/** Selects the blobs that rows refer to. The blobs of rejected files are deleted. */
export const gameFileBlobs = sql`select blob_key as key, size, checksum as sha256, null::text as packing from files
  where scan_state not in ('infected', 'error')
  union all select blob_key, size, null, null from file_manifests`;

type FileKey = { game_id: string; file_id: string };

const columns = sql.raw(
  'game_id, file_id, build_id, filename, size, checksum, blob_key, origin, reused, scan_state, uploaded_at, rejected_at',
);

export function insertFile(tx: Tx, file: NewGameFile): Promise<GameFileRow> {
  return onlyRow(
    tx,
    sql<GameFileRow>`insert into files (game_id, file_id, build_id, filename, size, checksum, blob_key, origin, reused)
      values (${file.gameId}, ${file.fileId}, ${file.buildId}, ${file.filename}, ${file.size}, ${file.checksum}, ${file.blobKey},
        ${JSON.stringify(file.origin)}, ${file.reused === null ? null : JSON.stringify(file.reused)}::jsonb) returning ${columns}`,
  );
}

/** Returns false if the file no longer exists. */
export async function updateScanState(tx: Tx, file: FileKey, state: ScanState): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update files set scan_state = ${state},
        rejected_at = case when ${state}::text in ('infected', 'error') then coalesce(rejected_at, clock_timestamp()) end
      where game_id = ${file.game_id} and file_id = ${file.file_id}`,
  );
  return count === 1;
}

export async function insertScanEvent(tx: Tx, file: FileKey, event: NewScanEvent): Promise<void> {
  await changed(
    tx,
    sql`insert into file_scans (game_id, file_id, state, engine, signature_version, detail)
      values (${file.game_id}, ${file.file_id}, ${event.state}, ${event.engine}, ${event.signatureVersion}, ${event.detail})`,
  );
}

export async function insertEntries(tx: Tx, file: FileKey, entries: readonly StoredEntry[]): Promise<void> {
  await changed(
    tx,
    sql`insert into file_entries (game_id, file_id, entries) values (${file.game_id}, ${file.file_id}, ${JSON.stringify(entries)})
      on conflict (game_id, file_id) do update set entries = excluded.entries`,
  );
}

/** The manifest of a file: its blob, the size of that, and the SHA-256 that identifies it. */
export type ManifestRow = { key: string; size: number; sha256: string };

export async function insertManifest(tx: Tx, file: FileKey, { key, size, sha256 }: ManifestRow): Promise<void> {
  await changed(
    tx,
    sql`insert into file_manifests (game_id, file_id, blob_key, size, sha256)
      values (${file.game_id}, ${file.file_id}, ${key}, ${size}, ${sha256})
      on conflict (game_id, file_id) do update set size = excluded.size, sha256 = excluded.sha256`,
  );
}

/** Undefined if the file has no manifest, as files of older versions of the service. */
export function findManifest(db: Db, file: FileKey): Promise<ManifestRow | undefined> {
  return row(
    db,
    sql<ManifestRow>`select blob_key as key, size, sha256 from file_manifests
      where game_id = ${file.game_id} and file_id = ${file.file_id}`,
  );
}

export function findFile(db: Db, gameId: string, fileId: string): Promise<GameFileRow | undefined> {
  return row(db, sql<GameFileRow>`select ${columns} from files where game_id = ${gameId} and file_id = ${fileId}`);
}

export function findFileById(db: Db, fileId: string): Promise<GameFileRow | undefined> {
  return row(db, sql<GameFileRow>`select ${columns} from files where file_id = ${fileId}`);
}

/** The newest file of a build that is not rejected. */
export function newestFile(
  db: Db,
  { game_id: gameId, build_id: buildId }: { game_id: string; build_id: string },
): Promise<GameFileRow | undefined> {
  return row(
    db,
    sql<GameFileRow>`select ${columns} from files
      where game_id = ${gameId} and build_id = ${buildId} and scan_state not in ('infected', 'error')
      order by uploaded_at desc, file_id desc limit 1`,
  );
}

/** Times of scans are in PostgreSQL's JSON format. */
type FileWithScans = GameFileRow & { scans: (Omit<ScanEventRow, 'at'> & { at: string })[] };

/** The newest files of a build, newest first, each with its scans, oldest first. */
export function listFilesOfBuild(db: Db, gameId: string, buildId: string, limit: number): Promise<FileWithScans[]> {
  return rows(
    db,
    sql<FileWithScans>`select ${columns},
        (select coalesce(jsonb_agg(jsonb_build_object('at', at, 'state', state, 'engine', engine,
            'signature_version', signature_version, 'detail', detail) order by scan_no), '[]')
          from file_scans where file_scans.game_id = files.game_id and file_scans.file_id = files.file_id) as scans
      from files where game_id = ${gameId} and build_id = ${buildId}
      order by uploaded_at desc, file_id desc limit ${limit}`,
  );
}

/** The condition on rows of `files` that are offered for download. */
export const offered = sql`scan_state in ('clean', 'unscanned')`;

/** A file that is offered for download, and the time of its last scan. */
export type OfferedFile = GameFileRow & { scanned_at: Date };

/** The newest offered file of each of these builds. */
export function newestOfferedFiles(db: Db, gameId: string, buildIds: readonly string[]): Promise<OfferedFile[]> {
  return rows(
    db,
    sql<OfferedFile>`select distinct on (build_id) ${columns}, coalesce(
        (select at from file_scans where file_scans.game_id = files.game_id and file_scans.file_id = files.file_id
          order by scan_no desc limit 1), uploaded_at) as scanned_at
      from files
      where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) and ${offered}
      order by build_id, uploaded_at desc, file_id desc`,
  );
}

export async function isSupersededBefore(db: Db, file: GameFileRow, time: Date): Promise<boolean> {
  const newer = await row(
    db,
    sql<{ file_id: string }>`select file_id from files as newer
      where game_id = ${file.game_id} and build_id = ${file.build_id} and ${offered}
        and (uploaded_at, file_id) > (select uploaded_at, file_id from files as this
          where this.game_id = newer.game_id and this.file_id = ${file.file_id})
        and exists (select from file_scans where file_scans.game_id = newer.game_id and file_scans.file_id = newer.file_id
          and state in ('clean', 'unscanned') and at <= ${time})
      limit 1`,
  );
  return newer !== undefined;
}

export function readScanHistory(db: Db, file: FileKey): Promise<ScanEventRow[]> {
  return rows(
    db,
    sql<ScanEventRow>`select at, state, engine, signature_version, detail from file_scans
      where game_id = ${file.game_id} and file_id = ${file.file_id} order by scan_no`,
  );
}

export async function readEntries(db: Db, file: FileKey): Promise<StoredEntry[]> {
  const stored = await row(
    db,
    sql<{
      entries: StoredEntry[];
    }>`select entries from file_entries where game_id = ${file.game_id} and file_id = ${file.file_id}`,
  );
  return stored?.entries ?? [];
}

export async function existingFiles(db: Db, fileIds: readonly string[]): Promise<Set<string>> {
  const existing = await rows(
    db,
    sql<{ file_id: string }>`select file_id from files where file_id = any(${fileIds}::uuid[])`,
  );
  return new Set(existing.map(({ file_id }) => file_id));
}

type RejectedRow = GameFileRow & { rejected_at: Date; detail: string | null };

export function listRejected(
  db: Db,
  gameId: string,
  since: Date,
  page: { limit: number; offset: number },
): Promise<RejectedRow[]> {
  return rows(
    db,
    sql<RejectedRow>`
      select ${columns}, (select detail from file_scans where file_scans.game_id = files.game_id and file_scans.file_id = files.file_id
          order by scan_no desc limit 1) as detail
      from files where game_id = ${gameId} and rejected_at >= ${since}
      order by rejected_at desc, file_id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countRejected(db: Db, gameId: string, since: Date): Promise<number> {
  const { total } = await onlyRow(
    db,
    sql<{ total: number }>`select count(*) as total from files where game_id = ${gameId} and rejected_at >= ${since}`,
  );
  return total;
}

export function deleteRejectedBefore(db: Db, time: Date): Promise<number> {
  return changed(db, sql`delete from files where rejected_at < ${time}`);
}

/** The files without the result of a scan: their number, and how many seconds ago the oldest was uploaded. */
export function readScanBacklog(db: Db): Promise<{ count: number; oldest_seconds: number }> {
  return onlyRow(
    db,
    sql<{ count: number; oldest_seconds: number }>`select count(*) as count,
        coalesce(extract(epoch from now() - min(uploaded_at)), 0)::double precision as oldest_seconds
      from files where scan_state in ('pending', 'scanning')`,
  );
}
