// Zips a game's folder and uploads it to its build. Shared by addfiles and push.
import { join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { formatBytes } from '@chauffeur/contract/format';
import type { BuildIdentity, Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { startProgress } from '../progress.ts';
import { withTempFolder } from '../temp.ts';
import { type Entry, type ListOptions, listEntries } from '../zip/entries.ts';
import { type ZipResult, zipEntries } from '../zip/zip.ts';
import type { Build } from './find-build.ts';
import { uploadZip } from './upload.ts';
import { waitForScan } from './wait-for-scan.ts';

/** `files` are the uploaded files of the build, newest first. */
type Target = BuildIdentity & { build_id: string; files: Build['files'] };

/** `uploaded` is false if the service already had the file. */
type GameFile = UploadedFile & { uploaded: boolean };

type UploadOptions = {
  /** Whether to resume an interrupted upload. */
  resume: boolean;
  /** The folder for the temporary zip; by default the system's temporary folder. */
  tmp: string | undefined;
  /** How many minutes to wait for the scan; undefined to return right after the upload. */
  wait: number | undefined;
};

/** Lists what to zip of `folder`, and warns about common mistakes. Rejects with LocalError for what the service would reject. */
export async function listGame(
  folder: string,
  options: Pick<ListOptions, 'only' | 'ignore'>,
  os: Os,
  context: Context,
): Promise<Entry[]> {
  const entries = await listEntries(folder, { ...options, signal: context.signal, os });
  refuseTooMuch(entries);
  noteOddities(entries, os, context);
  return entries;
}

/**
 * Uploads nothing if the service already has the same zip as the newest file of the build. Rejects with ScanError if the scan rejects
 * the file.
 */
export async function uploadGame(
  client: Client,
  entries: readonly Entry[],
  target: Target,
  { resume, tmp, wait }: UploadOptions,
  context: Context,
): Promise<GameFile> {
  const file = await withTempFolder(tmp, async (temp) => {
    const path = join(temp, 'build.zip');
    const zip = await zipTo(path, entries, context);
    const stored = findStored(zip, target);
    if (stored === undefined) {
      return { ...(await upload(client, { ...zip, path }, target, resume, context)), uploaded: true };
    }
    context.output.note('The service already has this zip as the newest file of the build, so nothing was uploaded.');
    return stored;
  });
  if (wait === undefined || isOffered(file)) return file;
  return { ...file, ...(await waitForScan(client, file, wait, context.retryOptions)) };
}

/**
 * The build's newest file if it is the same zip. Rejected files do not count, because players get an earlier one. If another file is
 * newer, the zip is uploaded again, so that players get it.
 */
function findStored({ sha256 }: ZipResult, { build_id, os, arch, channel, files }: Target): GameFile | undefined {
  const newest = files.find(({ status }) => status !== 'infected' && status !== 'error');
  return newest?.checksum === sha256 ? { ...newest, build_id, os, arch, channel, uploaded: false } : undefined;
}

/** Whether players can download the file. */
export function isOffered({ status }: Pick<UploadedFile, 'status'>): boolean {
  return status === 'clean' || status === 'unscanned';
}

/** The lines that describe an uploaded file, for scripts. */
export function formatFile({ file_uid, checksum, status }: UploadedFile): string[] {
  return [`file_uid=${file_uid}`, `checksum=${checksum}`, `status=${status}`];
}

/** Warns about things that are allowed but are usually mistakes. */
function noteOddities(entries: readonly Entry[], os: Os, { output }: Context): void {
  const started = os === 'linux' || os === 'macos';
  if (started && !entries.some(({ kind, executable }) => kind === 'file' && executable !== false)) {
    output.note(`warning: no file is executable, so ${os} may not start the game. Use chmod +x on its program.`);
  }
  const left = entries.find(({ path }) => /(^|\/)\.(git|svn|hg)\/$/.test(path));
  if (left !== undefined)
    output.note(`warning: the folder contains ${left.path}, which players would get. See --ignore.`);
}

async function zipTo(path: string, entries: readonly Entry[], { output, env, signal }: Context) {
  const progress = startProgress('zipping', output, env);
  const zip = await zipEntries(entries, path, {
    signal,
    maxBytes: LIMITS.fileBytes,
    onProgress: progress.update,
  }).finally(progress.finish);
  refuseBomb(zip);
  output.note(`Zipped ${zip.entries} entries: ${formatBytes(zip.bytesIn)} compressed to ${formatBytes(zip.size)}.`);
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
  zip: ZipResult & { path: string },
  { version, build_type, build_id, os, arch, channel }: Target,
  resume: boolean,
  { output, env, retryOptions }: Context,
): Promise<UploadedFile> {
  const filename = `${build_type}-${version}-${os}-${arch}.zip`.replaceAll(/[^\w.+-]+/g, '-');
  const progress = startProgress('uploading', output, env);
  return uploadZip({
    ...retryOptions,
    client,
    zip: { ...zip, filename },
    fields: { build_id, os, arch, channel },
    resume,
    onProgress: progress.update,
  }).finally(progress.finish);
}
