// `chauffeur setfiles`: writes addfiles.yml, which assigns a folder to a build.
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { checkedDescriptor, newFilesFile } from '../descriptors/files-file.ts';
import { writeText } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import { type Act, type Action, withExample } from './command.ts';

export function setfilesCommand(command: Command, act: Act): Command {
  return withExample(command, 'setfiles --version 1.2.0 --os windows --arch x86_64 --files dist/windows')
    .requiredOption('--version <version>', 'version of the build')
    .requiredOption('--os <os>', 'operating system')
    .requiredOption('--arch <arch>', 'processor architecture')
    .requiredOption('--files <folder>', "folder with the game's files")
    .option('--channel <channel>', 'channel of the build', 'stable')
    .option('--build-type <type>', 'type of the build', 'game')
    .option('--build-id <id>', 'id of the build, instead of finding it by version, type, platform and channel')
    .option('--out <file>', 'file to write', 'addfiles.yml')
    .action(act(setfiles));
}

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

const setfiles: Action<Options> = async (_, options) => {
  const { version, os, arch, channel, files, buildType, buildId, out } = options;
  const stats = await stat(files).catch(() => null);
  if (stats?.isDirectory() !== true) {
    throw new LocalError(`--files: ${files} is not a folder.`, "Use the folder with the game's files.");
  }
  const path = pathFrom(out, files);
  const descriptor = checkedDescriptor({ path, version, os, arch, channel, type: buildType, build_id: buildId }, '--');
  await writeText(out, newFilesFile(descriptor));
  return { data: { file: out, files: descriptor }, lines: [`Wrote ${out} for version ${version}.`] };
};

/** The path relative to the written file, which makes it independent of the folder where addfiles runs. */
function pathFrom(out: string, files: string): string {
  if (isAbsolute(files)) return files;
  return relative(dirname(resolve(out)), resolve(files)).replaceAll(sep, '/') || '.';
}
