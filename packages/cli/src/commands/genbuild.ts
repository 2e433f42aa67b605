// `chauffeur genbuild`: writes build.yml, or brings an existing one to a new version.
import { basename } from 'node:path';
import { Command } from 'commander';
import {
  type BuildPlatform,
  DEFAULT_CHANNEL,
  editedBuildFile,
  newBuildFile,
  parseBuildFile,
} from '../descriptors/build-file.ts';
import { readIfPresent, writeText } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import type { Act, Handler } from '../program.ts';

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

const collect = (value: string, before: string[] = []) => [...before, value];

export function genbuildCommand(act: Act): Command {
  return new Command('genbuild')
    .description('write build.yml; an existing one keeps what is not given, such as its changelog')
    .requiredOption('--version <version>', 'version of the build, up to 32 characters')
    .option('--title <title>', 'title (default: the version)')
    .option('--description <text>', 'what players read about the build')
    .option('--type <type>', 'type of the build (default: game)')
    .option('--engine-version <version>', 'such as 4.3 or 4.3.0-beta.2')
    .option('--channel <channel>', 'channel of its platforms (default: stable)')
    .option('--os <os>', 'operating system; repeat with --arch for several platforms', collect)
    .option('--arch <arch>', 'processor architecture; one for all, or one for each --os', collect)
    .option('--out <file>', 'file to write', 'build.yml')
    .option('--force', 'replace an existing file, whatever it holds')
    .addHelpText('after', '\nExample:\n  $ chauffeur genbuild --version 1.2.0 --os windows --arch x86_64')
    .action(act(genbuild));
}

const genbuild: Handler<Options> = async (_, options) => {
  const { version, title, description, type, engineVersion, out } = options;
  const existing = options.force ? null : await readIfPresent(out);
  const before = existing === null ? null : parseBuildFile(out, existing);
  const platforms = platformsOf(options, before?.platforms);
  const changes = definedOf({
    // A title that was only the version moves on with it.
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
  const verb = existing === null ? 'Wrote' : 'Updated';
  return { data: { file: out, asset }, lines: [`${verb} ${basename(out)} for version ${version}.`] };
};

function definedOf<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The platforms that the flags ask for; undefined when they ask for nothing. */
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
      '--os and --arch do not go together.',
      'Give one --arch for all --os, or one for each of them.',
    );
  }
  return os.map((name, index) => ({
    os: name,
    arch: arch[index] ?? arch[0] ?? '',
    channel: channel ?? DEFAULT_CHANNEL,
  }));
}

/** The platform this runs on: the first guess of a new file. */
function hostPlatform(): BuildPlatform {
  const os = process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'macos' : 'linux';
  return { os, arch: process.arch === 'arm64' ? 'arm64' : 'x86_64', channel: DEFAULT_CHANNEL };
}
