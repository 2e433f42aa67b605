// `chauffeur addfiles`: zips a folder and uploads it to its build.
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { LIMITS } from '@chauffeur/contract/limits';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FilesDescriptor, readFilesFile } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { sizeText } from '../output.ts';
import type { Act, Handler } from '../program.ts';
import { startProgress } from '../progress.ts';
import { withTempFolder } from '../temp.ts';
import { type UploadedFile, uploadZip } from '../upload/upload.ts';
import { waitForScan } from '../upload/wait-for-scan.ts';
import { type Entry, listEntries } from '../zip/entries.ts';
import { type ZipResult, zipEntries } from '../zip/zip.ts';

type Options = { asset: string; ignore?: string[]; wait?: true; timeout: string; resume: boolean; tmp?: string };

const collect = (value: string, before: string[] = []) => [...before, value];

export function addfilesCommand(act: Act): Command {
  return new Command('addfiles')
    .description('zip the folder of addfiles.yml and upload it to its build')
    .option('--asset <file>', 'the file that setfiles wrote', 'addfiles.yml')
    .option('--ignore <glob>', 'leave out what matches, such as *.pdb or saves/*; may be repeated', collect)
    .option('--wait', 'wait until the file is scanned; exit with 2 when it is rejected')
    .option('--timeout <minutes>', 'how long --wait waits', '30')
    .option('--no-resume', 'start over in place of continuing an interrupted upload')
    .option('--tmp <folder>', 'where the zip is kept meanwhile (default: the system’s temporary folder)')
    .addHelpText('after', '\nExample:\n  $ chauffeur addfiles --asset addfiles.yml --ignore "*.pdb" --wait')
    .action(act(addfiles));
}

const addfiles: Handler<Options> = async (context, options) => {
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
    const scanned = options.wait ? { ...file, ...(await waitForScan(client, file, minutes, context.patience)) } : file;
    return {
      data: scanned,
      lines: [`file_uid=${scanned.file_uid}`, `checksum=${scanned.checksum}`, `status=${scanned.status}`],
    };
  });
};

/**
 * What of `folder` is zipped: all of it, or the files that the descriptor lists, each of which must be there. A single folder is the root
 * itself, so that its content stands at the top of the zip.
 */
async function chooseRoot(
  base: string,
  folder: string,
  files: readonly string[] | undefined,
): Promise<{ root: string; only?: string[] }> {
  if (files === undefined) return { root: folder };
  const paths = files.map((file) => resolve(base, file));
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  const missing = found.indexOf(null);
  if (missing >= 0)
    throw new LocalError(
      `${files[missing]}: does not exist.`,
      'Correct asset.files; its paths start at the .yml file.',
    );
  if (paths.length === 1 && found[0]?.isDirectory()) return { root: paths[0] ?? folder };
  return { root: folder, only: paths.map((path) => relative(folder, path).split(sep).join('/')) };
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  throw new LocalError('--timeout: is not a number of minutes above 0.', 'Give one such as --timeout 45.');
}

/** Tells what is allowed, but seldom meant. */
function noteOddities(entries: readonly Entry[], { os }: FilesDescriptor, { output }: Context): void {
  const started = os === 'linux' || os === 'macos';
  if (started && !entries.some(({ kind, executable }) => kind === 'file' && executable !== false)) {
    output.note(`warning: no file has the executable bit, so ${os} may not start the game; chmod +x its program.`);
  }
  const left = entries.find(({ path }) => /(^|\/)\.(git|svn|hg)\/$/.test(path));
  if (left !== undefined) output.note(`warning: the folder holds ${left.path}, which players would get; see --ignore.`);
}

/** The id of the build that the descriptor names. Rejects with LocalError when there is none. */
async function findBuild(client: Client, descriptor: FilesDescriptor, { insist, signal }: Context): Promise<string> {
  const { version, os, arch, channel, build_type, build_id } = descriptor;
  if (build_id !== undefined) return build_id;
  const query = { version, os, arch, channel, page_size: LIMITS.pageSize };
  const { builds } = await insist(() => client.call(listBuilds, query, { signal }));
  const match = builds.find((build) => build.build_type === build_type);
  if (match !== undefined) return match.build_id;
  throw new LocalError(
    `There is no ${build_type} build of version ${version} for ${os}/${arch} on channel ${channel}.`,
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
  output.note(`Zipped ${zip.entries} entries: ${sizeText(zip.bytesIn)} into ${sizeText(zip.size)}.`);
  return zip;
}

/** The service would refuse it, only after the upload. Throws LocalError. */
function refuseTooMuch(entries: readonly Entry[]): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (bytes <= LIMITS.zipUnpackedBytes) return;
  throw new LocalError(
    `The files come to ${sizeText(bytes)}; ${sizeText(LIMITS.zipUnpackedBytes)} are accepted.`,
    'Leave out what players do not need with --ignore.',
  );
}

/** Likewise. */
function refuseBomb({ bytesIn, size }: ZipResult): void {
  if (bytesIn <= LIMITS.zipRatio * size) return;
  throw new LocalError(
    `The files shrink to less than 1/${LIMITS.zipRatio} of their size, which the service takes for a zip bomb.`,
    'Leave out files of zeros and other padding with --ignore.',
  );
}

type Target = FilesDescriptor & { build_id: string };

async function upload(
  client: Client,
  zip: ZipResult & { path: string },
  { version, build_type, build_id, os, arch, channel }: Target,
  resume: boolean,
  { output, env, patience }: Context,
): Promise<UploadedFile> {
  const filename = `${build_type}-${version}-${os}-${arch}.zip`.replaceAll(/[^\w.+-]+/g, '-');
  const progress = startProgress('uploading', output, env);
  return uploadZip({
    ...patience,
    client,
    zip: { ...zip, filename },
    fields: { build_id, os, arch, channel },
    resume,
    onProgress: progress.update,
  }).finally(progress.finish);
}
