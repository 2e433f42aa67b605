// Deletes old backups of a target, and the blobs that no remaining backup needs.
import type { BlobStore } from '../../kernel/blobs/store.ts';
import type { Db } from '../../kernel/database/db.ts';
import { listBackups, readBlobList, readManifest } from './files.ts';
import { forEachOfPage } from './for-each.ts';
import { BLOBS_PREFIX, isManifestKey } from './manifest.ts';
import type { BackupReport } from './report.ts';
import { addBlobs, emptyBlobTable, notInBlobTable } from './snapshot.sql.ts';

const PAGE = 1000;

/**
 * Keeps the newest `keep` complete backups up to the new one, and later ones, which were made while the
 * clock was ahead: if they counted, the new backup could be deleted at once. Manifests are deleted first, so a backup
 * without all its blobs never looks complete, and an interrupted run can be repeated. If a kept backup is damaged, throws
 * BackupError before anything is deleted.
 */
export async function prune(
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
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
