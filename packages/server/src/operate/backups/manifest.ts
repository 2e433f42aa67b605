// The manifest of a backup: what it contains, with checksums. It is written last, so a backup without one is
// incomplete.
import { createHash } from 'node:crypto';

/** A backup is unusable, or a backup cannot be made. The message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A compressed file of the backup. The size and the checksum are those of its content. */
export type BackupFile = { readonly key: string; readonly size: number; readonly sha256: string };

export type TableFile = BackupFile & {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
};
export type BackedUpPartition = {
  readonly table: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
};

export type Manifest = {
  readonly format: typeof FORMAT;
  /** The version of Chauffeur that made the backup. */
  readonly version: string;
  /** When the backup began. It contains everything that was acknowledged before. */
  readonly startedAt: string;
  /** The name of the snapshot in PostgreSQL. */
  readonly snapshot: string;
  readonly migrations: readonly { readonly name: string; readonly sha256: string }[];
  readonly partitions: readonly BackedUpPartition[];
  readonly sequences: readonly { readonly name: string; readonly value: number }[];
  readonly tables: readonly TableFile[];
  readonly jobs: BackupFile & { readonly rows: number };
  /** Lists of the blobs, one JSON object per line. */
  readonly blobLists: readonly BackupFile[];
  readonly blobs: number;
  readonly blobBytes: number;
  /** Keys of blobs that rows refer to and the installation itself did not have. */
  readonly missing: readonly string[];
};

/** The format of the whole backup. A backup with another number cannot be read. */
export const FORMAT = 1;
export const BACKUPS_PREFIX = 'backups/';
export const BLOBS_PREFIX = 'blobs/';
const MANIFEST_NAME = 'manifest.json';

/** The id of a backup is the time at which it began, so ids sort by time: `20261123t061400.123z`. */
export function backupIdOf(startedAt: Date): string {
  return startedAt.toISOString().replace(/[-:]/g, '').toLowerCase();
}

/** The prefix of all files of a backup, except its blobs, which backups share. */
export function prefixOf(id: string): string {
  return `${BACKUPS_PREFIX}${id}/`;
}

export function manifestKeyOf(id: string): string {
  return prefixOf(id) + MANIFEST_NAME;
}

/** The id in the key of a file of a backup. */
export function idOfKey(key: string): string {
  return key.slice(BACKUPS_PREFIX.length).split('/')[0] ?? '';
}

export function isManifestKey(key: string): boolean {
  return key === manifestKeyOf(idOfKey(key));
}

export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ sha256: checksumOf(manifest), manifest }, null, 1)}\n`;
}

/** Throws BackupError if the text is damaged or has another format. */
export function parseManifest(text: string, key: string): Manifest {
  const { sha256, manifest } = parseJson(text, key);
  if (manifest === undefined || checksumOf(manifest) !== sha256) throw damagedBackup(key);
  if (manifest.format !== FORMAT)
    throw new BackupError(`${key} has format ${manifest.format}: restore it with Chauffeur ${manifest.version}.`);
  return manifest;
}

function parseJson(text: string, key: string): { sha256?: string; manifest?: Manifest } {
  try {
    return JSON.parse(text);
  } catch {
    throw damagedBackup(key);
  }
}

export function damagedBackup(key: string, detail = 'its checksum is wrong'): BackupError {
  return new BackupError(`The backup is damaged: ${key}: ${detail}.`);
}

function checksumOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
