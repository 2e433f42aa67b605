// Zips a game's folder and uploads it to its build. Shared by addfiles and push.
import { join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { formatBytes, formatPlatform } from '@chauffeur/contract/format';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { formatCount, formatPairs } from '../output.ts';
import { startProgress } from '../progress.ts';
import { type Entry, type Listing, listEntries } from '../zip/entries.ts';
import { withTempFolder, type ZipResult, zipEntries } from '../zip/zip.ts';
import type { Build } from './find-build.ts';
import { type BuildKind, describeLeftOut, findOddities, refuseUnplayable } from './oddities.ts';
import { uploadZip } from './upload.ts';
import { type ChangesUpload, checkComposed, uploadChanges } from './upload-changes.ts';
import { waitForScan } from './wait-for-scan.ts';

/** `files` are the uploaded files of the build, newest first. */
type Target = BuildIdentity & { build_id: string; files: Build['files'] };

/** `uploaded` is false if the service already had the file. `reused_bytes` of the zip were on the service already. */
type GameFile = UploadedFile & { uploaded: boolean; sent_bytes: number; reused_bytes: number };

type UploadOptions = {
  /** Whether to resume an interrupted upload. */
  resume: boolean;
  /** The folder for the temporary zip; by default the system's temporary folder. */
  tmp: string | undefined;
  /** Whether to upload everything, also what the service has already. */
  whole: boolean;
  /** How many minutes to wait for the scan; undefined to return right after the upload. */
  wait: number | undefined;
};

/** How to list a folder, from the flags. */
export type ListFlags = { ignore?: string[]; ignoreJunk?: boolean; dereference?: true };

/** `warnings` are sentences, which have been printed. */
export type Game = Listing & { warnings: string[] };

/**
 * Lists what to zip of `folder`, and warns about common mistakes. Rejects with LocalError for what the service would
 * reject, and for web builds that cannot be played.
 */
export async function listGame(
  { folder, only }: { folder: string; only?: readonly string[] | undefined },
  { ignore = [], ignoreJunk = true, dereference }: ListFlags,
  kind: BuildKind,
  { output, signal }: Context,
): Promise<Game> {
  const junk = ignoreJunk ? 'leave out' : 'find';
  const listing = await listEntries(folder, { only, ignore, junk, dereference, signal, os: kind.os });
  refuseTooMuch(listing.entries);
  refuseUnplayable(folder, listing, kind);
  const warnings = findOddities(listing, kind);
  const leftOut = describeLeftOut(listing);
  if (leftOut !== null) output.note(leftOut);
  for (const warning of warnings) output.note(`warning: ${warning}`);
  return { ...listing, warnings };
}

/**
 * Uploads nothing if the service already has the same zip as the newest file of the build. Rejects with ScanError if the scan rejects
 * the file.
 */
export async function uploadGame(
  client: Client,
  entries: readonly Entry[],
  target: Target,
  { resume, tmp, wait, whole }: UploadOptions,
  context: Context,
): Promise<GameFile> {
  const { file, description } = await withTempFolder(tmp, async (temp) => {
    const filename = filenameOf(target);
    const changes = whole ? null : await uploadChanges(client, entries, target, { temp, filename, resume }, context);
    if (changes !== null) return { file: fileOf(changes), description: changes.description };
    const path = join(temp, 'build.zip');
    const zip = await zipTo(path, entries, context);
    const stored = findStored(zip, target);
    if (stored !== undefined) {
      context.output.note('The service already has this zip as the newest file of the build, so nothing was uploaded.');
      return { file: stored, description: null };
    }
    const file = await upload(client, { ...zip, path, filename }, target, resume, context);
    return { file: { ...file, uploaded: true, sent_bytes: zip.size, reused_bytes: 0 }, description: null };
  });
  const isScanned = wait === undefined || isOffered(file);
  const scanned = isScanned ? file : { ...file, ...(await waitForScan(client, file, wait, context.retryOptions)) };
  if (wait !== undefined && description !== null) await checkComposed(client, scanned, description, context);
  return scanned;
}

function fileOf({ file, uploaded, sentBytes, reusedBytes }: ChangesUpload): GameFile {
  return { ...file, uploaded, sent_bytes: sentBytes, reused_bytes: reusedBytes };
}

function filenameOf({ version, build_type, os, arch }: BuildIdentity): string {
  return `${build_type}-${version}-${os}-${arch}.zip`.replaceAll(/[^\w.+-]+/g, '-');
}

/**
 * The build's newest file if it is the same zip. Rejected files do not count, because players get an earlier one. If another file is
 * newer, the zip is uploaded again, so that players get it.
 */
function findStored({ sha256 }: ZipResult, { build_id, os, arch, channel, files }: Target): GameFile | undefined {
  const newest = files.find(({ status }) => status !== 'infected' && status !== 'error');
  return newest?.checksum === sha256
    ? { ...newest, build_id, os, arch, channel, uploaded: false, sent_bytes: 0, reused_bytes: 0 }
    : undefined;
}

/** Whether players can download the file. */
export function isOffered({ status }: Pick<UploadedFile, 'status'>): boolean {
  return status === 'clean' || status === 'unscanned';
}

/** What --json reports about the files. */
export function reportOf({ leftOut, warnings }: Game) {
  return { left_out: leftOut.map(({ path, reason }) => ({ path, reason })), warnings };
}

/** The lines that describe an uploaded file, for scripts. */
export function formatFile({ file_uid, checksum, status }: UploadedFile): string[] {
  return formatPairs({ file_uid, checksum, status });
}

/** `1.0.0 for Linux x86_64 is uploaded and scanned` */
export function describeFile(
  { status }: Pick<UploadedFile, 'status'>,
  { version, os, arch }: Pick<BuildIdentity, 'version' | 'os' | 'arch'>,
): string {
  const scan = status === 'clean' ? ' and scanned' : status === 'unscanned' ? '' : '; its scan is pending';
  return `${version} for ${formatPlatform({ os, arch })} is uploaded${scan}`;
}

async function zipTo(path: string, entries: readonly Entry[], { output, env, signal }: Context) {
  const progress = startProgress('zipping', output, env);
  const zip = await zipEntries(entries, path, {
    signal,
    maxBytes: LIMITS.fileBytes,
    onProgress: progress.update,
  }).finally(progress.finish);
  refuseBomb(zip);
  output.note(
    `Zipped ${formatCount(zip.entries, 'entry', 'entries')}: ${formatBytes(zip.bytesIn)} compressed to ${formatBytes(zip.size)}.`,
  );
  return zip;
}

/** Throws LocalError for more data than the service accepts, instead of failing after the upload. */
function refuseTooMuch(entries: readonly Entry[]): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (bytes <= LIMITS.zipUnpackedBytes) return;
  throw new LocalError(
    `The files have ${formatBytes(bytes)} in total; the limit is ${formatBytes(LIMITS.zipUnpackedBytes)}.`,
    'Use --ignore to leave out files that players do not need.',
  );
}

/** Throws LocalError for a compression ratio that the service rejects. */
function refuseBomb({ bytesIn, size }: ZipResult): void {
  if (bytesIn <= LIMITS.zipRatio * size) return;
  throw new LocalError(
    `The files compress to less than 1/${LIMITS.zipRatio} of their size, which the service rejects as a possible zip bomb.`,
    'Use --ignore to leave out padding, such as files filled with zeros.',
  );
}

async function upload(
  client: Client,
  zip: ZipResult & { path: string; filename: string },
  { build_id, os, arch, channel }: Target,
  resume: boolean,
  { output, env, retryOptions }: Context,
): Promise<UploadedFile> {
  const progress = startProgress('uploading', output, env);
  return uploadZip({
    ...retryOptions,
    client,
    zip,
    fields: { build_id, os, arch, channel },
    resume,
    onProgress: progress.update,
  }).finally(progress.finish);
}
