// The SQL of uploads that reuse blocks: which earlier files have them, and what became of a bundle.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { offered } from '../files/files.ts';

export type SourceRow = { file_id: string; blob_key: string; manifest_key: string };

/** The newest offered files of a game that have a manifest, those of the platform first. */
export function listSources(
  db: Db,
  gameId: string,
  { os, arch }: { os: string; arch: string },
  limit: number,
): Promise<SourceRow[]> {
  return rows(
    db,
    sql<SourceRow>`select files.file_id, files.blob_key, file_manifests.blob_key as manifest_key
      from files
        join file_manifests on file_manifests.game_id = files.game_id and file_manifests.file_id = files.file_id
        join builds on builds.game_id = files.game_id and builds.build_id = files.build_id
      where files.game_id = ${gameId} and ${offered}
      order by (builds.os = ${os} and builds.arch = ${arch}) desc, files.uploaded_at desc, files.file_id desc
      limit ${limit}`,
  );
}

export type BundleRow = {
  game_id: string;
  session_id: string;
  /** The file that was made from the bundle, once it is composed. */
  composed_file_id: string | null;
  failure: Failure | null;
};

/** Why no zip could be composed. */
export type Failure = { code: number; message: string };

export function findBundle(db: Db, gameId: string, sessionId: string): Promise<BundleRow | undefined> {
  return row(
    db,
    sql<BundleRow>`select game_id, session_id, composed_file_id, failure from upload_bundles
      where game_id = ${gameId} and session_id = ${sessionId}`,
  );
}

export async function insertBundle(
  tx: Tx,
  { gameId, sessionId }: { gameId: string; sessionId: string },
): Promise<void> {
  await changed(tx, sql`insert into upload_bundles (game_id, session_id) values (${gameId}, ${sessionId})`);
}

/** Records the file; false if another attempt was faster, or the session was deleted. */
export async function setComposed(tx: Tx, bundle: BundleRow, fileId: string): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update upload_bundles set composed_file_id = ${fileId}
      where game_id = ${bundle.game_id} and session_id = ${bundle.session_id} and composed_file_id is null and failure is null`,
  );
  return count === 1;
}

export async function setFailure(db: Db, bundle: BundleRow, failure: Failure): Promise<void> {
  await changed(
    db,
    sql`update upload_bundles set failure = ${JSON.stringify(failure)}
      where game_id = ${bundle.game_id} and session_id = ${bundle.session_id} and composed_file_id is null`,
  );
}
