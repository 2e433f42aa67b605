// Makes a backup while the service runs: the database from one snapshot, and then the blobs that it refers to.
//
// The difficulty is that the two are stored apart, and that copying the blobs takes hours. So a backup goes through
// these steps, all in one database session:
//
// 1. It takes the lock on deletions. From now until the session ends, deleting a blob only notes its key
//    (kernel/blobs/held-deletions.ts), so no blob of the snapshot can disappear. Only one backup can have the lock.
// 2. One transaction saves all tables, the queued jobs and the references to blobs. It ends before any blob
//    is copied, because a long transaction keeps PostgreSQL from removing old rows.
// 3. Each blob is copied, unless an earlier backup in the target has it: blobs never change under their key, so all
//    backups share them. Lists of what was copied are written from time to time.
// 4. The manifest is written. A backup is complete when it exists, and not before.
// 5. Older backups are deleted, first their manifests, and then the blobs that no remaining backup lists.
// 6. The lock is released, and the blobs whose deletion was held back are deleted. If the backup was killed, a job does
//    that.
//
// If the process is killed, its session ends and deletions go on. The backup stays incomplete, and the next one reads
// its lists to continue with what it copied, and then removes it. If only the connection is lost, reading the next page
// of references fails, so a backup cannot go on without the lock.

import { createHash } from 'node:crypto';
import { VERSION } from '@chauffeur/contract/version';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Context } from '../../context.ts';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import { bytesOfBuffer } from '../../kernel/blobs/byte-source.ts';
import { deleteHeld, lockDeletions, unlockDeletions } from '../../kernel/blobs/held-deletions.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import { SECOND } from '../../kernel/clock.ts';
import { type DatabaseSession, type Db, rows, withSession } from '../../kernel/database/db.ts';
import {
  type BackupReport,
  type BlobEntry,
  blobListKeyOf,
  forEachOfPage,
  isBlobListKey,
  listBackups,
  readBlobList,
  readLooseBlobList,
  readManifest,
  writeBlobList,
} from './backup-files.ts';
import { beginRun, canStoreRuns, endRun } from './backups.ts';
import {
  BackupError,
  type BackupFile,
  BLOBS_PREFIX,
  backupIdOf,
  FORMAT,
  formatManifest,
  isManifestKey,
  type Manifest,
  manifestKeyOf,
  prefixOf,
} from './manifest.ts';
import { collectReferences, isReferenced } from './references.sql.ts';
import * as snapshot from './snapshot.sql.ts';
import { addBlobs, emptyBlobTable, notInBlobTable, SELECT_JOBS, saveQuery, saveTable } from './snapshot.sql.ts';

const PAGE = 500;
/** A killed backup loses at most the work since its last list, so lists are also written by time. */
const LIST_ENTRIES = 10_000;
const LIST_MS = 20 * SECOND;

type BackupResult = {
  readonly id: string;
  readonly rows: number;
  readonly blobs: number;
  /** The number of blobs that this backup had to copy. */
  readonly copied: number;
  readonly problems: number;
};

/**
 * Backs up to `target`, and keeps the newest `keep` backups there, or all of them. Throws BackupError if another backup
 * is running. An interrupted backup leaves no manifest, and the next one continues with its blobs.
 */
export async function backUp(
  ctx: Context,
  pool: pg.Pool,
  target: BlobStore,
  { keep, report }: { keep: number | null; report: BackupReport },
): Promise<BackupResult> {
  const result = await withSession(pool, async (session) => {
    if (!(await lockDeletions(session.db)))
      throw new BackupError('Another backup of this installation is running. Wait for it to finish.');
    const result = await storeRun(ctx, async (startedAt) => {
      const saved = await saveAll(ctx, session, target, startedAt, report);
      if (keep !== null) await prune(session.db, target, { keep, made: saved.id }, report);
      return saved;
    });
    await unlockDeletions(session.db);
    return result;
  });
  await deleteHeld(ctx.db, ctx.blobs);
  return result;
}

/** Stores the run for monitoring. A run whose end cannot be stored counts as interrupted. */
async function storeRun(ctx: Context, work: (startedAt: Date) => Promise<BackupResult>): Promise<BackupResult> {
  const startedAt = ctx.clock.now();
  // A command of this version may back up a database that an older version is using.
  if (!(await canStoreRuns(ctx.db))) return work(startedAt);
  await beginRun(ctx.db, startedAt);
  try {
    const result = await work(startedAt);
    await endRun(ctx.db, startedAt, ctx.clock.now(), result.problems > 0 ? 'damaged' : 'complete');
    return result;
  } catch (error) {
    await endRun(ctx.db, startedAt, ctx.clock.now(), 'failed').catch(() => undefined);
    throw error;
  }
}

async function saveAll(
  ctx: Context,
  session: DatabaseSession,
  target: BlobStore,
  startedAt: Date,
  report: BackupReport,
): Promise<BackupResult> {
  const { db } = session;
  const id = backupIdOf(startedAt);
  await snapshot.setTextFormats(db);
  await snapshot.createBlobTable(db);
  await readKnownBlobs(session, target, report);
  const database = await saveDatabase(session, target, id, report);
  const blobs = await saveBlobs(ctx, session, target, id, report);
  const { lists, copied, problems, ...counts } = blobs;
  const manifest: Manifest = {
    format: FORMAT,
    version: VERSION,
    startedAt: startedAt.toISOString(),
    ...database,
    blobLists: lists,
    ...counts,
  };
  await target.put(manifestKeyOf(id), bytesOfBuffer(Buffer.from(formatManifest(manifest))));
  await removeIncomplete(target);
  const tableRows = database.tables.reduce((sum, table) => sum + table.rows, 0);
  return { id, rows: tableRows, blobs: counts.blobs, copied, problems };
}

/** Removes incomplete backups. Their blobs are part of this one, or are deleted with the blobs of old backups. */
async function removeIncomplete(target: BlobStore): Promise<void> {
  for (const { keys, isComplete } of await listBackups(target))
    if (!isComplete) for (const key of keys) await target.delete(key);
}

/** Reads what the newest complete backup and interrupted ones have copied, so that it is not copied again. */
async function readKnownBlobs({ db }: DatabaseSession, target: BlobStore, report: BackupReport): Promise<void> {
  const backups = await listBackups(target);
  const newest = backups.findLast(({ isComplete }) => isComplete);
  for (const { id, isComplete, keys } of backups) {
    if (isComplete && id !== newest?.id) continue;
    try {
      if (isComplete) {
        for (const list of (await readManifest(target, id)).blobLists)
          for await (const page of readBlobList(target, list)) await snapshot.addBlobs(db, page);
      } else {
        for (const key of keys.filter(isBlobListKey))
          for await (const page of readLooseBlobList(target, key)) await snapshot.addBlobs(db, page);
      }
    } catch (error) {
      if (!(error instanceof BackupError) && !(error instanceof SyntaxError)) throw error;
      report.problem(`The earlier backup ${id} is damaged, so its blobs are copied again. ${error.message}`);
    }
  }
}

/**
 * Saves all tables as they were at one moment. The transaction ends before blobs are copied, because a long one keeps
 * PostgreSQL from removing old rows. If it fails, its connection is closed, which rolls it back.
 */
async function saveDatabase(session: DatabaseSession, target: BlobStore, id: string, report: BackupReport) {
  const { db } = session;
  const name = await snapshot.beginSnapshot(db);
  await collectReferences(db);
  const [migrations, partitions] = [await snapshot.appliedMigrations(db), await snapshot.listBoundedPartitions(db)];
  const tables: Awaited<ReturnType<typeof saveTable>>[] = [];
  for (const table of await snapshot.listTables(db)) tables.push(await saveTable(session, target, id, table));
  const jobs = await saveQuery(session, target, `${prefixOf(id)}graphile-worker-jobs.copy.zst`, SELECT_JOBS);
  // Sequences are not part of a snapshot. Read last, they are beyond all values in the tables.
  const sequences = await snapshot.listSequences(db);
  await rows(db, sql`commit`);
  report.progress(`saved ${tables.length} tables`);
  return { snapshot: name, migrations, partitions, tables, jobs, sequences };
}

async function saveBlobs(ctx: Context, { db }: DatabaseSession, target: BlobStore, id: string, report: BackupReport) {
  const lists: BackupFile[] = [];
  const missing: string[] = [];
  let entries: BlobEntry[] = [];
  let [blobs, blobBytes, copied, problems, listedAt] = [0, 0, 0, 0, Date.now()];

  async function writeList(): Promise<void> {
    if (entries.length > 0) lists.push(await writeBlobList(target, blobListKeyOf(id, lists.length + 1), entries));
    entries = [];
    listedAt = Date.now();
  }

  async function save(pending: snapshot.PendingBlob): Promise<void> {
    const saved = await saveBlob(ctx.blobs, target, pending);
    if (saved === null) {
      // The row was deleted before deletions were held back, or the installation has lost the blob.
      missing.push(pending.key);
      if (!(await isReferenced(ctx.db, pending.key))) return;
      problems += 1;
      return report.problem(`missing ${pending.key}: the installation does not have this blob`);
    }
    entries.push(saved.entry);
    blobs += 1;
    blobBytes += saved.entry.size;
    if (saved.isCopied) copied += 1;
    if (matches(pending, saved.entry)) return;
    problems += 1;
    report.problem(`damaged ${pending.key}: the blob does not match its row`);
  }

  // Each page is read from the session that holds deletions back, so this fails if the connection was lost.
  for await (const page of snapshot.pagePending(db, PAGE)) {
    await forEachOfPage(page, save);
    if (entries.length < LIST_ENTRIES && Date.now() - listedAt < LIST_MS) continue;
    await writeList();
    report.progress(`saved ${blobs} blobs, copied ${copied}`);
  }
  await writeList();
  return { lists, missing, blobs, blobBytes, copied, problems };
}

/** Saves a blob. Null if it does not exist. */
async function saveBlob(
  blobs: BlobStore,
  target: BlobStore,
  { key, known }: snapshot.PendingBlob,
): Promise<{ entry: BlobEntry; isCopied: boolean } | null> {
  const copyKey = BLOBS_PREFIX + key;
  if (known !== null && (await target.stat(copyKey))?.size === known.size) return { entry: known, isCopied: false };
  const stored = await blobs.stat(key);
  if (stored === null) return null;
  const hash = createHash('sha256');
  async function* hashed() {
    for await (const bytes of new BlobCursor(blobs, key, stored!.size).stream(stored!.size)) {
      hash.update(bytes);
      yield bytes;
    }
  }
  try {
    const size = await target.put(copyKey, hashed());
    return { entry: { key, size, sha256: hash.digest('hex') }, isCopied: true };
  } catch (error) {
    if (error instanceof BlobMissingError) return null;
    throw error;
  }
}

/** Whether a blob matches its row. Packed blobs are not unpacked, which `verify` does. */
function matches({ size, sha256, packing }: snapshot.PendingBlob, entry: BlobEntry): boolean {
  if (packing !== null) return true;
  return (size === null || size === entry.size) && (sha256 === null || sha256 === entry.sha256);
}

const PRUNED_PAGE = 1000;

/**
 * Deletes old backups, and the blobs that no remaining backup needs. Keeps the newest `keep` complete backups up to the
 * new one, and later ones, which were made while the clock was ahead: if they counted, the new backup could be deleted
 * at once. Manifests are deleted first, so a backup without all its blobs never looks complete, and an interrupted run
 * can be repeated. If a kept backup is damaged, throws BackupError before anything is deleted.
 */
async function prune(
  db: Db,
  target: BlobStore,
  { keep, made }: { keep: number; made: string },
  report: BackupReport,
): Promise<void> {
  const backups = await listBackups(target);
  const complete = backups.filter(({ isComplete }) => isComplete).map(({ id }) => id);
  const later = complete.filter((id) => id > made);
  const kept = new Set([...complete.filter((id) => id <= made).slice(-keep), ...later]);
  if (later.length > 0)
    report.problem(
      `${later.length} backups in ${target.describe().location} are from the future, such as ${later[0]}. They are kept until you delete them.`,
    );
  await emptyBlobTable(db);
  for (const id of kept)
    for (const list of (await readManifest(target, id)).blobLists)
      for await (const page of readBlobList(target, list)) await addBlobs(db, page);
  const old = backups.filter(({ id }) => !kept.has(id)).flatMap(({ keys }) => keys);
  for (const key of old.filter(isManifestKey)) await target.delete(key);
  let blobs = 0;
  for await (const page of pageKeys(target)) {
    const unused = await notInBlobTable(db, page);
    await forEachOfPage(unused, (key) => target.delete(BLOBS_PREFIX + key));
    blobs += unused.length;
  }
  await forEachOfPage(old, (key) => target.delete(key));
  report.progress(`kept ${kept.size} backups, deleted ${blobs} blobs that only older ones needed`);
}

async function* pageKeys(target: BlobStore): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const { key } of target.list(BLOBS_PREFIX)) {
    page.push(key.slice(BLOBS_PREFIX.length));
    if (page.length < PRUNED_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
