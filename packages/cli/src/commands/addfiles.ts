// `chauffeur addfiles`: zips a folder and uploads it to a build.
import { stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import { quote } from '@chauffeur/contract/shell';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type FilesDescriptor, readFilesFile } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { type Build, findBuild, noteChannel } from '../upload/find-build.ts';
import { previewGame } from '../upload/preview.ts';
import {
  describeFile,
  formatFile,
  isOffered,
  type ListFlags,
  listGame,
  reportOf,
  uploadGame,
} from '../upload/upload-game.ts';
import { parseMinutes } from '../upload/wait-for-scan.ts';
import { type Act, type Action, addFileOptions, withExample } from './command.ts';

export function addfilesCommand(command: Command, act: Act): Command {
  return addFileOptions(
    withExample(command, 'addfiles --asset addfiles.yml --ignore "*.pdb" --wait').option(
      '--asset <file>',
      'file written by setfiles',
      'addfiles.yml',
    ),
  )
    .option('--wait', 'wait for the virus scan; exits with 2 if the file is rejected')
    .option('--timeout <minutes>', 'maximum time for --wait', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--whole', 'upload everything, also what the server has from earlier files of the game')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .action(act(addfiles));
}

type Options = ListFlags & {
  asset: string;
  dryRun?: true;
  wait?: true;
  timeout: string;
  resume: boolean;
  whole?: true;
  tmp?: string;
};

const addfiles: Action<Options> = async (context, options) => {
  const minutes = parseMinutes(options.timeout);
  const descriptor = await readFilesFile(options.asset);
  const folder = resolve(dirname(options.asset), descriptor.path);
  const { root, only } = await chooseRoot(dirname(options.asset), folder, descriptor.files);
  const game = await listGame({ folder: root, only }, options, descriptor, context);
  if (options.dryRun) return previewGame(game, descriptor, context);
  const client = await context.connect();
  const target = { ...descriptor, ...(await findTarget(client, descriptor, context)) };
  const { resume, tmp } = options;
  const file = await uploadGame(
    client,
    game.entries,
    target,
    { resume, tmp, wait: options.wait && minutes, whole: options.whole === true },
    context,
  );
  if (!file.uploaded && isOffered(file)) {
    noteChannel(
      await context.retryBriefly(() => client.call(getDeployInfo, {}, { signal: context.signal })),
      target,
      context,
    );
  }
  return {
    data: { ...file, ...reportOf(game) },
    lines: [`${describeFile(file, descriptor)}.`],
    piped: formatFile(file),
  };
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
      `${files[missing]} does not exist.`,
      'Correct asset.files. Paths are relative to the .yml file.',
    );
  if (paths.length === 1 && stats[0]?.isDirectory()) return { root: paths[0] ?? folder };
  return { root: folder, only: paths.map((path) => relative(folder, path).split(sep).join('/')) };
}

/** The build that matches the descriptor. Rejects with LocalError if there is none. */
async function findTarget(
  client: Client,
  descriptor: FilesDescriptor,
  context: Context,
): Promise<Pick<Build, 'build_id' | 'files'>> {
  const { version, os, arch, channel, build_type, build_id } = descriptor;
  const { build: match } = await findBuild(client, descriptor, context);
  if (build_id !== undefined && match?.build_id !== build_id) return { build_id, files: [] };
  if (match !== undefined) return match;
  throw new LocalError(
    `No ${build_type} build found with version ${version} for ${os}/${arch} on channel ${channel}.`,
    `Register it first: chauffeur build --version ${quote(version, 'sh')} --os ${os} --arch ${arch} --channel ${channel}`,
  );
}
