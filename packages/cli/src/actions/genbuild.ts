// `chauffeur genbuild`: writes build.yml, or updates an existing one for a new version.
import { basename } from 'node:path';
import {
  type BuildPlatform,
  DEFAULT_CHANNEL,
  editedBuildFile,
  newBuildFile,
  parseBuildFile,
} from '../descriptors/build-file.ts';
import { readIfPresent, writeText } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import type { Action } from './action.ts';

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

export const genbuild: Action<Options> = async (_, options) => {
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
