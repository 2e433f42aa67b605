// Copies tables between PostgreSQL and files, in PostgreSQL's text format of COPY.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import type { Session } from '../../kernel/database/db.ts';
import { readFile, writeFile } from './files.ts';
import { type BackupFile, damaged, prefixOf, type TableFile } from './manifest.ts';
import type { Table } from './snapshot.sql.ts';

/** The bytes of an unfinished upload are not saved, so neither is its session. */
const CONDITIONS: Readonly<Record<string, string>> = { upload_sessions: 'finished_at is not null' };

/** Saves a table as the transaction of the session sees it. */
export async function saveTable(
  session: Session,
  target: BlobStore,
  id: string,
  { name, columns }: Table,
): Promise<TableFile> {
  const condition = CONDITIONS[name] ?? 'true';
  const query = `select ${columns.map(quote).join()} from ${quote(name)} where ${condition}`;
  return { table: name, columns, ...(await saveQuery(session, target, `${prefixOf(id)}${name}.copy.zst`, query)) };
}

export async function saveQuery(
  { client }: Session,
  target: BlobStore,
  key: string,
  query: string,
): Promise<BackupFile & { rows: number }> {
  const stream = client.query(copyStreams.to(`copy (${query}) to stdout`));
  const file = await writeFile(
    target,
    key,
    bytesOf(() => stream),
  );
  return { ...file, rows: stream.rowCount };
}

/** Loads a file into a table. Throws BackupError if the file is damaged or has another number of rows. */
export async function loadFile(
  { client }: Session,
  target: BlobStore,
  file: BackupFile & { rows: number },
  table: string,
  columns: string,
): Promise<void> {
  const stream = client.query(copyStreams.from(`copy ${quote(table)} (${columns}) from stdin`));
  await pipeline(Readable.from(readFile(target, file), { objectMode: false }), stream);
  if (stream.rowCount !== file.rows) throw damaged(file.key, `it has ${stream.rowCount} rows instead of ${file.rows}`);
}

export function loadTable(session: Session, target: BlobStore, file: TableFile): Promise<void> {
  return loadFile(session, target, file, file.table, file.columns.map(quote).join());
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
