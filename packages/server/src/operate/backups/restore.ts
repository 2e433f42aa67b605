// Restores a backup into an empty installation. Everything is checked before and after, and an interrupted restore can
// be repeated: the database gets its rows in the last step, in one transaction.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { type DatabaseSession, rows, withSession } from '../../kernel/database/db.ts';
import { migrate, readMigrations } from '../../kernel/database/migrate.ts';
import { migrateJobs } from '../../kernel/jobs/jobs.ts';
import { listProcesses } from '../../kernel/processes/presence.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { raiseAllSerials } from '../../ship/channels/channels.sql.ts';
import {
  type BackupReport,
  type BlobEntry,
  forEachOfPage,
  listBackups,
  readBlobList,
  readFile,
  readManifest,
} from './backup-files.ts';
import { BackupError, BLOBS_PREFIX, backupIdOf, damagedBackup, type Manifest } from './manifest.ts';
import { collectReferences } from './references.sql.ts';
import * as snapshot from './snapshot.sql.ts';
import { createJobTable, enqueueSavedJobs, loadFile, loadTable, SAVED_JOB_COLUMNS } from './snapshot.sql.ts';

const PAGE = 500;

export type RestoreResult = { readonly id: string; readonly rows: number; readonly blobs: number };

type Installation = { readonly pool: pg.Pool; readonly blobs: BlobStore; readonly log: Log };

/**
 * Restores the newest backup that began at `at` or earlier. Throws BackupError, before anything is changed, if there is
 * none, if it is damaged or from a newer version, or if the installation is not empty.
 */
export function restore(
  { pool, blobs, log }: Installation,
  source: BlobStore,
  { at, report }: { at: Date; report: BackupReport },
): Promise<RestoreResult> {
  return withSession(pool, async (session) => {
    const { db } = session;
    const { id, manifest } = await findBackup(source, at);
    report.progress(`restoring the backup of ${manifest.startedAt}`);
    await requireKnownMigrations(manifest);
    await requireEmptyDatabase(session, manifest);
    await snapshot.createBlobTable(db);
    for (const list of manifest.blobLists)
      for await (const page of readBlobList(source, list)) await snapshot.addBlobs(db, page);
    await requireEmptyStore(session, blobs);
    await checkFiles(session, source, manifest);
    report.progress('the backup is intact');
    await migrate(pool, log, { names: new Set(manifest.migrations.map(({ name }) => name)) });
    await migrateJobs(pool);
    for await (const page of snapshot.pageBlobs(db, PAGE))
      await forEachOfPage(page, (entry) => restoreBlob(source, blobs, entry));
    report.progress(`restored ${manifest.blobs} blobs`);
    await loadDatabase(session, source, manifest);
    await migrate(pool, log);
    // Clients have seen the serials of later changes, and would refuse what the channels offer now.
    await raiseAllSerials(db);
    await rows(db, sql`analyze`);
    await reportMissing(session, manifest, report);
    return { id, rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0), blobs: manifest.blobs };
  });
}

/** Checks the newest backup that began at `at` or earlier. Throws BackupError if it is damaged. */
export function verifyBackup(pool: pg.Pool, source: BlobStore, at: Date): Promise<RestoreResult> {
  return withSession(pool, async (session) => {
    const { id, manifest } = await findBackup(source, at);
    await snapshot.createBlobTable(session.db);
    for (const list of manifest.blobLists)
      for await (const page of readBlobList(source, list)) await snapshot.addBlobs(session.db, page);
    await checkFiles(session, source, manifest);
    return { id, rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0), blobs: manifest.blobs };
  });
}

async function findBackup(source: BlobStore, at: Date): Promise<{ id: string; manifest: Manifest }> {
  const complete = (await listBackups(source)).filter(({ isComplete }) => isComplete);
  const last = complete.findLast(({ id }) => id <= backupIdOf(at));
  if (last !== undefined) return { id: last.id, manifest: await readManifest(source, last.id) };
  const { location } = source.describe();
  throw new BackupError(
    complete.length === 0
      ? `There is no complete backup in ${location}.`
      : `The oldest backup in ${location} is ${complete[0]!.id}. Choose a later time.`,
  );
}

async function requireKnownMigrations({ migrations, version }: Manifest): Promise<void> {
  const known = new Map((await readMigrations()).map(({ name, sha256 }) => [name, sha256]));
  const unknown = migrations.find(({ name, sha256 }) => known.get(name) !== sha256);
  if (unknown !== undefined)
    throw new BackupError(
      `The backup is from Chauffeur ${version}, whose migration ${unknown.name} this version does not have. Restore it with version ${version} or newer.`,
    );
}

async function requireEmptyDatabase({ db }: DatabaseSession, { migrations }: Manifest): Promise<void> {
  if (!(await snapshot.hasMigrations(db))) return;
  const content = await snapshot.findContent(db);
  if (content !== null) throw new BackupError(`The database is not empty: ${content}. Restore into a new database.`);
  const expected = new Set(migrations.map(({ name }) => name));
  const newer = (await snapshot.appliedMigrations(db)).find(({ name }) => !expected.has(name));
  if (newer !== undefined)
    throw new BackupError(
      `The database has ${newer.name}, which is newer than the backup. Restore into a new database.`,
    );
  if (migrations.length > 0 && (await isRunning(db)))
    throw new BackupError('A server is running on this database. Stop it first.');
}

async function isRunning(db: DatabaseSession['db']): Promise<boolean> {
  const { found } = (await rows(db, sql<{ found: boolean }>`select to_regclass('processes') is not null as found`))[0]!;
  return found && (await listProcesses(db)).some(({ alive }) => alive);
}

/** Requires an empty blob store, except for blobs of this backup, which an interrupted restore has left. */
async function requireEmptyStore({ db }: DatabaseSession, blobs: BlobStore): Promise<void> {
  let page: string[] = [];
  const check = async () => {
    const [other] = await snapshot.notInBlobTable(db, page);
    if (other !== undefined)
      throw new BackupError(
        `The blob store is not empty: ${blobs.describe().location} has ${other}. Restore into a new one.`,
      );
    page = [];
  };
  for await (const { key } of blobs.list('')) {
    page.push(key);
    if (page.length === PAGE) await check();
  }
  await check();
}

/** Reads all files and blobs of the backup. */
async function checkFiles(
  { db }: DatabaseSession,
  source: BlobStore,
  { tables, jobs, blobs }: Manifest,
): Promise<void> {
  for (const file of [...tables, jobs]) for await (const _ of readFile(source, file));
  let count = 0;
  for await (const page of snapshot.pageBlobs(db, PAGE)) {
    await forEachOfPage(page, (entry) => requireIntact(source, BLOBS_PREFIX + entry.key, entry));
    count += page.length;
  }
  if (count !== blobs) throw new BackupError(`The backup is damaged: it lists ${count} blobs instead of ${blobs}.`);
}

async function requireIntact(store: BlobStore, key: string, entry: BlobEntry): Promise<void> {
  const stored = await store.stat(key);
  if (stored === null) throw damagedBackup(key, 'the file is missing');
  if (stored.size !== entry.size) throw damagedBackup(key, `it has ${stored.size} bytes instead of ${entry.size}`);
  if ((await checksumOf(store, key, entry.size)) !== entry.sha256)
    throw damagedBackup(
      key,
      'its checksum is wrong. If the installation still works, delete this file, and the next backup copies it again',
    );
}

async function checksumOf(store: BlobStore, key: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of new BlobCursor(store, key, size).stream(size)) hash.update(bytes);
  return hash.digest('hex');
}

/** Reads the blob back after it is written. An intact one from an interrupted restore is kept. */
async function restoreBlob(source: BlobStore, blobs: BlobStore, { key, size, sha256 }: BlobEntry): Promise<void> {
  const isIntact = async () =>
    (await blobs.stat(key))?.size === size && (await checksumOf(blobs, key, size)) === sha256;
  if (await isIntact()) return;
  await blobs.put(key, new BlobCursor(source, BLOBS_PREFIX + key, size).stream(size));
  if (!(await isIntact()))
    throw new BackupError(`${key} was written to ${blobs.describe().location} but reads back differently.`);
}

/** Loads the database. If this fails, the connection is closed, which rolls everything back. */
async function loadDatabase(session: DatabaseSession, source: BlobStore, manifest: Manifest): Promise<void> {
  const { db } = session;
  const tables = await snapshot.listTables(db);
  const saved = new Map(manifest.tables.map((file) => [file.table, file]));
  const unsaved = tables.find(({ name }) => !saved.has(name));
  if (unsaved !== undefined || tables.length !== saved.size)
    throw new BackupError(
      `The tables of the backup are not those of its version: ${unsaved?.name ?? 'there are more'}.`,
    );
  await snapshot.setTextFormats(db);
  await rows(db, sql`begin`);
  const foreignKeys = await snapshot.dropForeignKeys(db);
  await snapshot.switchTriggers(db, 'disable');
  await snapshot.emptyTables(db, tables);
  for (const partition of manifest.partitions) await snapshot.createPartition(db, partition);
  for (const file of manifest.tables) await loadTable(session, source, file);
  await snapshot.switchTriggers(db, 'enable');
  await snapshot.addForeignKeys(db, foreignKeys);
  for (const sequence of manifest.sequences) await snapshot.setSequence(db, sequence);
  await createJobTable(db);
  await loadFile(session, source, manifest.jobs, 'saved_jobs', SAVED_JOB_COLUMNS);
  await enqueueSavedJobs(db);
  await rows(db, sql`commit`);
}

/** Reports the blobs that the installation itself had lost. The backup has every other blob that a row refers to. */
async function reportMissing({ db }: DatabaseSession, { missing }: Manifest, report: BackupReport): Promise<void> {
  for (const key of missing) report.problem(`missing ${key}: the installation did not have this blob`);
  await collectReferences(db);
  const [unexpected] = await snapshot.referencesWithoutBlob(db, missing);
  if (unexpected !== undefined) throw new BackupError(`A row refers to ${unexpected}, which the backup does not have.`);
}
