// `chauffeur addfiles`: zips a folder and uploads it to a build.

import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { formatBytes } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import type { Context } from '../context.ts';
import { type FilesDescriptor, readFilesFile } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { startProgress } from '../progress.ts';
import { withTempFolder } from '../temp.ts';
import { uploadZip } from '../upload/upload.ts';
import { waitForScan } from '../upload/wait-for-scan.ts';
import { type Entry, listEntries } from '../zip/entries.ts';
import { type ZipResult, zipEntries } from '../zip/zip.ts';
import type { Action } from './action.ts';

type Options = { asset: string; ignore?: string[]; wait?: true; timeout: string; resume: boolean; tmp?: string };

export const addfiles: Action<Options> = async (context, options) => {
  const minutes = minutesOf(options.timeout);
  const descriptor = await readFilesFile(options.asset);
  const folder = resolve(dirname(options.asset), descriptor.path);
  const { root, only } = await chooseRoot(dirname(options.asset), folder, descriptor.files);
  const entries = await listEntries(root, {
    only,
    ignore: options.ignore ?? [],
    signal: context.signal,
    os: descriptor.os,
  });
  refuseTooMuch(entries);
  noteOddities(entries, descriptor, context);
  const client = await context.connect();
  const buildId = await findBuild(client, descriptor, context);
  return withTempFolder(options.tmp, async (temp) => {
    const path = join(temp, 'build.zip');
    const zip = await zipTo(path, entries, context);
    const file = await upload(client, { ...zip, path }, { ...descriptor, build_id: buildId }, options.resume, context);
    const scanned = options.wait
      ? { ...file, ...(await waitForScan(client, file, minutes, context.retryOptions)) }
      : file;
    return {
      data: scanned,
      lines: [`file_uid=${scanned.file_uid}`, `checksum=${scanned.checksum}`, `status=${scanned.status}`],
    };
  });
};

/**
 * Decides what to zip: all of `folder`, or the files that the descriptor lists, which must exist. A single listed folder becomes the
 * root, so its contents are at the top of the zip.
 */
async function chooseRoot(
  base: string,
  folder: string,
  files: readonly string[] | undefined,
): Promise<{ root: string; only?: string[] }> {
  if (files === undefined) return { root: folder };
  const paths = files.map((file) => resolve(base, file));
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  const missing = stats.indexOf(null);
  if (missing >= 0)
    throw new LocalError(
      `${files[missing]}: does not exist.`,
      'Correct asset.files. Paths are relative to the .yml file.',
    );
  if (paths.length === 1 && stats[0]?.isDirectory()) return { root: paths[0] ?? folder };
  return { root: folder, only: paths.map((path) => relative(folder, path).split(sep).join('/')) };
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  throw new LocalError('--timeout: is not a number of minutes above 0.', 'Use a value such as --timeout 45.');
}

/** Warns about things that are allowed but are usually mistakes. */
function noteOddities(entries: readonly Entry[], { os }: FilesDescriptor, { output }: Context): void {
  const started = os === 'linux' || os === 'macos';
  if (started && !entries.some(({ kind, executable }) => kind === 'file' && executable !== false)) {
    output.note(`warning: no file is executable, so ${os} may not start the game. Use chmod +x on its program.`);
  }
  const left = entries.find(({ path }) => /(^|\/)\.(git|svn|hg)\/$/.test(path));
  if (left !== undefined)
    output.note(`warning: the folder contains ${left.path}, which players would get. See --ignore.`);
}

/** The id of the build that matches the descriptor. Rejects with LocalError if there is none. */
async function findBuild(
  client: Client,
  descriptor: FilesDescriptor,
  { retryBriefly, signal }: Context,
): Promise<string> {
  const { version, os, arch, channel, build_type, build_id } = descriptor;
  if (build_id !== undefined) return build_id;
  const query = { version, os, arch, channel, page_size: LIMITS.pageSize };
  const { builds } = await retryBriefly(() => client.call(listBuilds, query, { signal }));
  const match = builds.find((build) => build.build_type === build_type);
  if (match !== undefined) return match.build_id;
  throw new LocalError(
    `No ${build_type} build found with version ${version} for ${os}/${arch} on channel ${channel}.`,
    `Register it first: chauffeur build --os ${os} --arch ${arch} --channel ${channel}`,
  );
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

type Target = FilesDescriptor & { build_id: string };

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
