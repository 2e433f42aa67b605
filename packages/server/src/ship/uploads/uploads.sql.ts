// The SQL of upload sessions.
import { sql } from 'kysely';
import type { BlobUpload } from '../../kernel/blobs/store.ts';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import type { FileOrigin } from '../files/files.ts';

export type SessionRow = {
  game_id: string;
  session_id: string;
  build_id: string;
  file_id: string;
  filename: string;
  total_size: number;
  current_size: number;
  checksum: string;
  blob: BlobUpload;
  key_ref: string;
  /** Null if the previous version opened the session, with a deploy key. */
  origin: FileOrigin | null;
  lock_token: string | null;
  lock_process: number | null;
  expires_at: Date;
  finished_at: Date | null;
};

export type NewSession = {
  gameId: string;
  sessionId: string;
  buildId: string;
  fileId: string;
  filename: string;
  totalSize: number;
  checksum: string;
  blob: BlobUpload;
  keyRef: string;
  origin: FileOrigin;
  openedAt: Date;
  expiresAt: Date;
};

export type Lock = { token: string; processNo: number };

const columns = sql.raw(
  'game_id, session_id, build_id, file_id, filename, total_size, current_size, checksum, blob, key_ref, origin, lock_token, lock_process, expires_at, finished_at',
);

/** Bundles from which no zip was composed yet. */
const composing = sql`select game_id, session_id from upload_bundles where composed_file_id is null and failure is null`;

/** Serializes opening sessions for one game, so that the limit holds. */
export async function lockOpenings(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`upload_sessions/${gameId}`}, 0))`);
}

export async function countOpenSessions(tx: Tx, gameId: string, now: Date): Promise<number> {
  const { open } = await onlyRow(
    tx,
    sql<{
      open: number;
    }>`select count(*) as open from upload_sessions where game_id = ${gameId} and finished_at is null and expires_at > ${now}`,
  );
  return open;
}

export function insertSession(tx: Tx, session: NewSession): Promise<SessionRow> {
  return onlyRow(
    tx,
    sql<SessionRow>`insert into upload_sessions
        (game_id, session_id, build_id, file_id, filename, total_size, checksum, blob, key_ref, origin, opened_at, expires_at)
      values (${session.gameId}, ${session.sessionId}, ${session.buildId}, ${session.fileId}, ${session.filename}, ${session.totalSize},
        ${session.checksum}, ${JSON.stringify(session.blob)}, ${session.keyRef},
        ${JSON.stringify(session.origin)}, ${session.openedAt}, ${session.expiresAt})
      returning ${columns}`,
  );
}

export function findUploadSession(db: Db, gameId: string, sessionId: string): Promise<SessionRow | undefined> {
  return row(
    db,
    sql<SessionRow>`select ${columns} from upload_sessions where game_id = ${gameId} and session_id = ${sessionId}`,
  );
}

export function listOpenSessions(
  db: Db,
  gameId: string,
  now: Date,
  filter: { buildId: string | null; checksum: string | null },
): Promise<SessionRow[]> {
  return rows(
    db,
    sql<SessionRow>`select ${columns} from upload_sessions
      where game_id = ${gameId} and finished_at is null and expires_at > ${now}
        and (${filter.buildId}::uuid is null or build_id = ${filter.buildId})
        and (${filter.checksum}::text is null or checksum = ${filter.checksum})
      order by opened_at desc, session_id desc limit 100`,
  );
}

/**
 * Takes the session's lock if it is free or held by `stale`. Returns undefined if another request holds it or the
 * session has ended. The commit does not wait for the disk: if the database crashes and loses the lock, it also breaks
 * the connection that marks the lock's holder as alive.
 */
export function takeLock(
  db: Db,
  session: SessionRow,
  lock: Lock,
  stale: string | null,
): Promise<SessionRow | undefined> {
  return row(
    db,
    sql<SessionRow>`with settings as materialized (select set_config('synchronous_commit', 'off', true))
      update upload_sessions set lock_token = ${lock.token}, lock_process = ${lock.processNo}
      from settings
      where game_id = ${session.game_id} and session_id = ${session.session_id} and finished_at is null
        and (lock_token is null or lock_token = ${stale}::uuid)
      returning ${columns}`,
  );
}

export async function releaseLock(db: Db, session: SessionRow, lock: Lock): Promise<void> {
  await changed(
    db,
    sql`update upload_sessions set lock_token = null, lock_process = null
      where game_id = ${session.game_id} and session_id = ${session.session_id} and lock_token = ${lock.token}`,
  );
}

/**
 * Counts a chunk's bytes and releases the lock; false if the lock was taken over, in which case the bytes do not count.
 */
export async function commitChunk(db: Db, session: SessionRow, lock: Lock, blob: BlobUpload): Promise<boolean> {
  const count = await changed(
    db,
    sql`update upload_sessions set current_size = ${blob.size}, blob = ${JSON.stringify(blob)}, lock_token = null, lock_process = null
      where game_id = ${session.game_id} and session_id = ${session.session_id} and lock_token = ${lock.token}`,
  );
  return count === 1;
}

/** Marks the session as finished; false if the lock was taken over. */
export async function finishSession(tx: Tx, session: SessionRow, lock: Lock, now: Date): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update upload_sessions set current_size = total_size, finished_at = ${now}, lock_token = null, lock_process = null
      where game_id = ${session.game_id} and session_id = ${session.session_id} and lock_token = ${lock.token}`,
  );
  return count === 1;
}

export async function deleteUploadSession(db: Db, session: SessionRow): Promise<void> {
  await changed(
    db,
    sql`delete from upload_sessions where game_id = ${session.game_id} and session_id = ${session.session_id}`,
  );
}

/** Expired sessions, oldest first, without those whose zip is being composed: they get a day from when all was sent. */
export function listExpired(db: Db, now: Date, limit: number): Promise<SessionRow[]> {
  return rows(
    db,
    sql<SessionRow>`select ${columns} from upload_sessions
      where expires_at <= ${now} and not (
        finished_at is not null and finished_at > ${now}::timestamptz - interval '1 day'
        and (game_id, session_id) in (${composing}))
      order by expires_at limit ${limit}`,
  );
}

/** Returns the file ids that belong to a session. */
export async function sessionFiles(db: Db, fileIds: readonly string[]): Promise<Set<string>> {
  const reserved = await rows(
    db,
    sql<{ file_id: string }>`select file_id from upload_sessions where file_id = any(${fileIds}::uuid[])`,
  );
  return new Set(reserved.map(({ file_id }) => file_id));
}

/** The keys of blobs that are being written in a session, or wait until a zip is composed from them. */
export const openBlobs = sql`select blob->>'key' as key from upload_sessions
  where finished_at is null or (game_id, session_id) in (${composing})`;

/** The number of open sessions of all games. */
export async function countAllOpen(db: Db): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{
      count: number;
    }>`select count(*) as count from upload_sessions where finished_at is null and expires_at > now()`,
  );
  return count;
}
