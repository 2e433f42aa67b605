// `chauffeur setfiles`: writes addfiles.yml, which says what folder belongs to which build.
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { Command } from 'commander';
import { checkedDescriptor, newFilesFile } from '../descriptors/files-file.ts';
import { writeText } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import type { Act, Handler } from '../program.ts';

type Options = {
  version: string;
  os: string;
  arch: string;
  files: string;
  channel?: string;
  buildType?: string;
  buildId?: string;
  out: string;
};

export function setfilesCommand(act: Act): Command {
  return new Command('setfiles')
    .description('write addfiles.yml: the folder of files and the build it belongs to')
    .requiredOption('--version <version>', 'version of the build')
    .requiredOption('--os <os>', 'operating system')
    .requiredOption('--arch <arch>', 'processor architecture')
    .requiredOption('--files <folder>', 'folder that holds the game’s files')
    .option('--channel <channel>', 'channel of the build', 'stable')
    .option('--build-type <type>', 'type of the build', 'game')
    .option('--build-id <id>', 'the build itself, in place of a search by version, type, platform and channel')
    .option('--out <file>', 'file to write', 'addfiles.yml')
    .addHelpText(
      'after',
      '\nExample:\n  $ chauffeur setfiles --version 1.2.0 --os windows --arch x86_64 --files dist/windows',
    )
    .action(act(setfiles));
}

const setfiles: Handler<Options> = async (_, options) => {
  const { version, os, arch, channel, files, buildType, buildId, out } = options;
  const found = await stat(files).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw new LocalError(`--files: ${files} is not a folder.`, 'Give the folder that holds the game’s files.');
  }
  const path = pathFrom(out, files);
  const descriptor = checkedDescriptor({ path, version, os, arch, channel, type: buildType, build_id: buildId }, '--');
  await writeText(out, newFilesFile(descriptor));
  return { data: { file: out, files: descriptor }, lines: [`Wrote ${out} for version ${version}.`] };
};

/** Seen from the file that is written, so that it means the same folder wherever addfiles runs. */
function pathFrom(out: string, files: string): string {
  if (isAbsolute(files)) return files;
  return relative(dirname(resolve(out)), resolve(files)).replaceAll(sep, '/') || '.';
}
