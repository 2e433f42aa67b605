// Reads and writes the compressed files of a backup: tables, jobs and lists of blobs. And what backups and restores
// share: their reports, and work for the blobs of a page.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { bytesOfBuffer } from '../../kernel/blobs/byte-source.ts';
import { putPacked, readUnpacked } from '../../kernel/blobs/packed.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import {
  BACKUPS_PREFIX,
  type BackupFile,
  damagedBackup,
  idOfKey,
  isManifestKey,
  type Manifest,
  manifestKeyOf,
  parseManifest,
  prefixOf,
} from './manifest.ts';

/** Writes a compressed file. */
export async function writeFile(
  target: BlobStore,
  key: string,
  source: AsyncIterable<Uint8Array>,
): Promise<BackupFile> {
  const hash = createHash('sha256');
  async function* hashed() {
    for await (const bytes of source) {
      hash.update(bytes);
      yield bytes;
    }
  }
  const { size } = await putPacked(target, key, hashed(), Number.POSITIVE_INFINITY);
  return { key, size, sha256: hash.digest('hex') };
}

/** Yields the content of a file, and throws BackupError at the end if it is not what was written. */
export async function* readFile(target: BlobStore, { key, size, sha256 }: BackupFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const bytes of readContent(target, key)) {
    read += bytes.length;
    // The check is here so that a small file that unpacks to a huge one cannot fill the disk or the memory.
    if (read > size) throw damagedBackup(key);
    hash.update(bytes);
    yield bytes;
  }
  if (read !== size || hash.digest('hex') !== sha256) throw damagedBackup(key);
}

async function* readContent(target: BlobStore, key: string): AsyncGenerator<Uint8Array> {
  try {
    yield* (await readUnpacked(target, key)) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof BlobMissingError) throw damagedBackup(key, 'the file is missing');
    if (/^(ZSTD_|Z_)/.test((error as { code?: string }).code ?? '')) throw damagedBackup(key, 'it cannot be unpacked');
    throw error;
  }
}

/** A blob of a backup. The checksum is that of the blob as it is stored. */
export type BlobEntry = { readonly key: string; readonly size: number; readonly sha256: string };

export function writeBlobList(target: BlobStore, key: string, entries: readonly BlobEntry[]): Promise<BackupFile> {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  return writeFile(target, key, bytesOfBuffer(Buffer.from(lines.join(''))));
}

const LIST_PAGE = 5000;

/** Yields the entries of a list of blobs in pages. */
export async function* readBlobList(target: BlobStore, file: BackupFile): AsyncGenerator<BlobEntry[]> {
  yield* parseLines(Readable.from(readFile(target, file), { objectMode: false }));
}

/** Yields the entries of a list of an incomplete backup, whose checksum is unknown. */
export async function* readLooseBlobList(target: BlobStore, key: string): AsyncGenerator<BlobEntry[]> {
  yield* parseLines(Readable.from(readContent(target, key), { objectMode: false }));
}

async function* parseLines(input: Readable): AsyncGenerator<BlobEntry[]> {
  let page: BlobEntry[] = [];
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    page.push(JSON.parse(line));
    if (page.length < LIST_PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** A backup in a target, which is complete if it has a manifest. */
export type StoredBackup = { readonly id: string; readonly isComplete: boolean; readonly keys: readonly string[] };

/** All backups in the target, oldest first. */
export async function listBackups(target: BlobStore): Promise<StoredBackup[]> {
  const keysById = new Map<string, string[]>();
  for await (const { key } of target.list(BACKUPS_PREFIX))
    keysById.getOrInsertComputed(idOfKey(key), () => []).push(key);
  const backups: StoredBackup[] = [];
  for (const [id, keys] of keysById) {
    // A manifest is listed as soon as it is being written, even if its backup was killed at that moment.
    const isComplete = keys.some(isManifestKey) && (await target.stat(manifestKeyOf(id))) !== null;
    backups.push({ id, keys: keys.toSorted(), isComplete });
  }
  return backups.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export async function readManifest(target: BlobStore, id: string): Promise<Manifest> {
  const key = manifestKeyOf(id);
  const chunks: Uint8Array[] = [];
  for await (const bytes of (await target.read(key)) as AsyncIterable<Uint8Array>) chunks.push(bytes);
  return parseManifest(Buffer.concat(chunks).toString(), key);
}

/** The name of the list with this number, from 1. */
export function blobListKeyOf(id: string, number: number): string {
  return `${prefixOf(id)}blobs-${String(number).padStart(6, '0')}.jsonl.zst`;
}

export function isBlobListKey(key: string): boolean {
  return /\/blobs-\d+\.jsonl\.zst$/.test(key);
}

/** Blobs are small or limited by the network and the disk, so more at once would gain little. */
const AT_ONCE = 4;

/** Runs `work` for each item, four at a time. Rejects with the first error, when no work is running any more. */
export async function forEachOfPage<T>(page: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = page.values();
  const results = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The report of a backup or a restore to its operator while it runs. */
export type BackupReport = {
  /** Reports progress. */
  progress(line: string): void;
  /** Reports a blob that is missing or does not match its row. The backup continues. */
  problem(line: string): void;
};
