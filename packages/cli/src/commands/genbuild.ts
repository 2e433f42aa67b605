// `chauffeur genbuild`: writes build.yml, or updates an existing one for a new version.
import { basename } from 'node:path';
import type { Command } from 'commander';
import {
  type BuildPlatform,
  DEFAULT_CHANNEL,
  editedBuildFile,
  newBuildFile,
  parseBuildFile,
} from '../descriptors/build-file.ts';
import { readIfPresent, writeText } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import { type Act, type Action, collectValues, withExample } from './command.ts';

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

type Options = {
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

const genbuild: Action<Options> = async (_, options) => {
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
  { os = [], arch = [], channel }: Options,
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
