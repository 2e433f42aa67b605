// Makes a backup while the service runs: the database from one snapshot, and then the blobs that it refers to.
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
import { rows, type Session, withSession } from '../../kernel/database/db.ts';
import {
  type BlobEntry,
  blobListKeyOf,
  isBlobListKey,
  listBackups,
  readBlobList,
  readLooseBlobList,
  readManifest,
  writeBlobList,
} from './files.ts';
import { forEachOfPage } from './for-each.ts';
import { SELECT_JOBS } from './jobs.sql.ts';
import {
  BackupError,
  type BackupFile,
  BLOBS_PREFIX,
  backupIdOf,
  FORMAT,
  formatManifest,
  type Manifest,
  manifestKeyOf,
  prefixOf,
} from './manifest.ts';
import { prune } from './prune.ts';
import { collectReferences, isReferenced } from './references.sql.ts';
import type { BackupReport } from './report.ts';
import { beginRun, canRecordRuns, endRun } from './runs.sql.ts';
import * as snapshot from './snapshot.sql.ts';
import { saveQuery, saveTable } from './tables.ts';

const PAGE = 500;
/** A killed backup loses at most the work since its last list, so lists are also written by time. */
const LIST_ENTRIES = 10_000;
const LIST_MS = 20 * SECOND;

export type BackupResult = {
  readonly id: string;
  readonly rows: number;
  readonly blobs: number;
  /** Blobs that this backup had to copy. */
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
      throw new BackupError('Another backup of this installation is running. Wait for its end.');
    const result = await recordRun(ctx, async (startedAt) => {
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

/** Records the run for monitoring. A run whose end cannot be recorded counts as interrupted. */
async function recordRun(ctx: Context, work: (startedAt: Date) => Promise<BackupResult>): Promise<BackupResult> {
  const startedAt = ctx.clock.now();
  // A command of this version may back up a database that an older version is using.
  if (!(await canRecordRuns(ctx.db))) return work(startedAt);
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
  session: Session,
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

/** Their blobs are part of this backup, or are deleted with the blobs of old backups. */
async function removeIncomplete(target: BlobStore): Promise<void> {
  for (const { keys, isComplete } of await listBackups(target))
    if (!isComplete) for (const key of keys) await target.delete(key);
}

/** Reads what the newest complete backup and interrupted ones have copied, so that it is not copied again. */
async function readKnownBlobs({ db }: Session, target: BlobStore, report: BackupReport): Promise<void> {
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
async function saveDatabase(session: Session, target: BlobStore, id: string, report: BackupReport) {
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

async function saveBlobs(ctx: Context, { db }: Session, target: BlobStore, id: string, report: BackupReport) {
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
      // Its row was deleted before deletions were held back, or the installation has lost it.
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

/** Null if there is no such blob. */
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

/** Packed blobs are not unpacked here; `verify` does this. */
function matches({ size, sha256, packing }: snapshot.PendingBlob, entry: BlobEntry): boolean {
  if (packing !== null) return true;
  return (size === null || size === entry.size) && (sha256 === null || sha256 === entry.sha256);
}
