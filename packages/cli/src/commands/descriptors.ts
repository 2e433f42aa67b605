// The commands that write build.yml and addfiles.yml: `chauffeur genbuild`, `addchangelog` and `setfiles`.

import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import {
  type BuildPlatform,
  DEFAULT_CHANNEL,
  editedBuildFile,
  newBuildFile,
  parseBuildFile,
  readBuildFile,
  withChangelogEntry,
} from '../descriptors/build-file.ts';
import { checkedDescriptor, newFilesFile } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { readIfPresent, writeText } from '../text-files.ts';
import { type Act, type Action, collectValues, withExample } from './command.ts';

// `chauffeur genbuild`: writes build.yml, or updates an existing one for a new version.

export function genbuildCommand(command: Command, act: Act): Command {
  return withExample(command, 'genbuild --version 1.2.0 --os windows --arch x86_64')
    .requiredOption('--version <version>', 'version of the build, up to 32 characters')
    .option('--title <title>', 'title (default: the version)')
    .option('--description <text>', 'description for players')
    .option('--type <type>', 'type of the build (default: game)')
    .option('--engine-version <version>', 'engine version, such as 4.3 or 4.3.0-beta.2')
    .option('--channel <channel>', 'channel of the platforms (default: stable)')
    .option('--os <os>', 'operating system; can be repeated, with --arch, for several platforms', collectValues)
    .option('--arch <arch>', 'processor architecture: one for all platforms, or one for each --os', collectValues)
    .option('--out <file>', 'file to write', 'build.yml')
    .option('--force', 'overwrite an existing file')
    .action(act(genbuild));
}

type BuildOptions = {
  version: string;
  title?: string;
  description?: string;
  type?: string;
  engineVersion?: string;
  channel?: string;
  os?: string[];
  arch?: string[];
  out: string;
  force?: true;
};

const genbuild: Action<BuildOptions> = async (_, options) => {
  const { version, title, description, type, engineVersion, out } = options;
  const existing = options.force ? null : await readIfPresent(out);
  const before = existing === null ? null : parseBuildFile(out, existing);
  const platforms = platformsOf(options, before?.platforms);
  const changes = definedOf({
    // A title that is just the version changes with it.
    title: title ?? (before !== null && before.title === before.version ? version : undefined),
    type,
    description,
    version,
    engine_version: engineVersion,
    platforms,
  });
  const text =
    existing === null
      ? newBuildFile({ platforms: [hostPlatform()], changelog: [], ...changes, version })
      : editedBuildFile(existing, changes);
  const asset = parseBuildFile(out, text);
  await writeText(out, text);
  const name = basename(out);
  const message =
    existing === null ? `Wrote ${name} for version ${version}.` : `Updated ${name} to version ${version}.`;
  return { data: { file: out, asset }, lines: [message] };
};

function definedOf<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The platforms given by the flags; undefined if there are no such flags. */
function platformsOf(
  { os = [], arch = [], channel }: BuildOptions,
  before: BuildPlatform[] | undefined,
): BuildPlatform[] | undefined {
  if (os.length === 0 && arch.length === 0) {
    if (channel === undefined) return undefined;
    return (before ?? [hostPlatform()]).map((platform) => ({ ...platform, channel }));
  }
  if (os.length === 0 || (arch.length !== 1 && arch.length !== os.length)) {
    throw new LocalError(
      'The numbers of --os and --arch do not match.',
      'Use a single --arch for all platforms, or one --arch for each --os.',
    );
  }
  return os.map((name, index) => ({
    os: name,
    arch: arch[index] ?? arch[0] ?? '',
    channel: channel ?? DEFAULT_CHANNEL,
  }));
}

/** The platform of this machine, the default in a new file. */
function hostPlatform(): BuildPlatform {
  const os = process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'macos' : 'linux';
  return { os, arch: process.arch === 'arm64' ? 'arm64' : 'x86_64', channel: DEFAULT_CHANNEL };
}

// `chauffeur addchangelog`: adds an entry to the changelog in build.yml.

export function addchangelogCommand(command: Command, act: Act): Command {
  return withExample(command, 'addchangelog --title "Boss fight" --description "The dragon wakes."')
    .requiredOption('--title <title>', 'short summary of the change')
    .requiredOption('--description <text>', 'full description of the change')
    .option('--asset <file>', 'build file to edit', 'build.yml')
    .action(act(addchangelog));
}

type ChangelogOptions = { title: string; description: string; asset: string };

const addchangelog: Action<ChangelogOptions> = async (_, { title, description, asset: file }) => {
  const before = await readBuildFile(file);
  const text = withChangelogEntry((await readIfPresent(file)) ?? '', before, { title, description });
  const { changelog } = parseBuildFile(file, text);
  await writeText(file, text);
  const added =
    changelog.length === 1
      ? `Added "${title}". The changelog has 1 entry.`
      : `Added "${title}". The changelog has ${changelog.length} entries.`;
  return { data: { file, changelog }, lines: [added] };
};

// `chauffeur setfiles`: writes addfiles.yml, which assigns a folder to a build.

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

type FilesOptions = {
  version: string;
  os: string;
  arch: string;
  files: string;
  channel?: string;
  buildType?: string;
  buildId?: string;
  out: string;
};

const setfiles: Action<FilesOptions> = async (_, options) => {
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
