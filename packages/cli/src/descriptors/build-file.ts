// build.yml describes a build. It is written by genbuild and addchangelog, and read by build.
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { Registration } from '@chauffeur/contract/operations/builds';
import { parseDocument } from 'yaml';
import { LocalError } from '../failures.ts';
import { readIfPresent } from '../text-files.ts';
import {
  checkField,
  type FieldNames,
  fieldsOf,
  listOf,
  parseYml,
  refuseEmpty,
  refuseUnknown,
  textsOf,
  ymlOf,
} from './yml.ts';

export type BuildPlatform = { os: string; arch: string; channel: string };
export type ChangelogEntry = { title: string; description: string };

/** The `asset` of a build.yml, without empty texts. */
export type BuildAsset = {
  title?: string;
  type?: string;
  description?: string;
  version: string;
  engine_version?: string;
  platforms: BuildPlatform[];
  changelog: ChangelogEntry[];
};

export const DEFAULT_CHANNEL = 'stable';
const { title, build_type, description, version, engine_version, os, arch, channel, changelog_items } =
  Registration.properties;
const PARTS: FieldNames = {
  'the file': ['version', 'spec', 'asset'],
  asset: ['title', 'type', 'description', 'version', 'engine_version', 'platforms', 'changelog'],
  'asset.platforms': ['os', 'arch', 'channel'],
  'asset.changelog': ['title', 'description'],
};
const TEXTS = { title, type: build_type, description, version, engine_version } as const;

/**
 * Reads and checks the asset of `file`. Rejects with LocalError, also if the file does not exist; `otherwise` is what
 * else can be done then.
 */
export async function readBuildFile(file: string, otherwise = ''): Promise<BuildAsset> {
  const text = await readIfPresent(file);
  if (text === null)
    throw new LocalError(
      `${file} does not exist.`,
      `Create it with chauffeur genbuild --version <version>${otherwise}.`,
    );
  return parseBuildFile(file, text);
}

/** Throws LocalError with the name of the invalid field. */
export function parseBuildFile(file: string, text: string): BuildAsset {
  const root = parseYml(file, text, 'build');
  refuseUnknown(`${file}: `, root, 'the file', PARTS);
  const fields = fieldsOf(`${file}: asset`, root.asset);
  refuseUnknown('asset.', fields, 'asset', PARTS);
  refuseEmpty('asset', fields, ['version', 'type']);
  const texts = textsOf('asset', fields, ['title', 'type', 'description', 'version', 'engine_version']);
  const asset = {
    ...texts,
    version: texts.version ?? '',
    platforms: listOf('asset.platforms', fields.platforms).map(platformOf),
    changelog: listOf('asset.changelog', fields.changelog).map(changelogEntryOf),
  };
  checkAsset(asset);
  return asset;
}

/** Checks every field by the rules of the service. Throws LocalError. */
function checkAsset(asset: BuildAsset): void {
  for (const [name, schema] of Object.entries(TEXTS)) {
    const value = asset[name as keyof typeof TEXTS];
    if (value !== undefined) checkField(`asset.${name}`, schema, value);
  }
  for (const [index, platform] of asset.platforms.entries()) {
    checkPlatform(`asset.platforms[${index}]`, platform);
  }
  checkField('asset.changelog', changelog_items, asset.changelog);
}

function checkPlatform(name: string, platform: BuildPlatform): void {
  checkField(`${name}.os`, os, platform.os);
  checkField(`${name}.arch`, arch, platform.arch);
  checkField(`${name}.channel`, channel, platform.channel);
}

function platformOf(value: unknown, index: number): BuildPlatform {
  const name = `asset.platforms[${index}]`;
  const fields = fieldsOf(name, value);
  refuseUnknown(`${name}.`, fields, 'asset.platforms', PARTS);
  refuseEmpty(name, fields, ['os', 'arch', 'channel']);
  const texts = textsOf(name, fields, ['os', 'arch', 'channel']);
  return { os: texts.os ?? '', arch: texts.arch ?? '', channel: texts.channel ?? DEFAULT_CHANNEL };
}

function changelogEntryOf(value: unknown, index: number): ChangelogEntry {
  const name = `asset.changelog[${index}]`;
  const fields = fieldsOf(name, value);
  refuseUnknown(`${name}.`, fields, 'asset.changelog', PARTS);
  const texts = textsOf(name, fields, ['title', 'description']);
  return { title: texts.title ?? '', description: texts.description ?? '' };
}

/** The text of a new build.yml. */
export function newBuildFile(asset: BuildAsset): string {
  return ymlOf({
    version: 'v1',
    spec: 'build',
    asset: {
      title: asset.title ?? asset.version,
      type: asset.type ?? 'game',
      description: asset.description ?? '',
      version: asset.version,
      engine_version: asset.engine_version ?? '',
      platforms: asset.platforms,
      changelog: asset.changelog,
    },
  });
}

/** Replaces fields of the asset in `text`; keeps comments and everything else. */
export function editedBuildFile(text: string, changes: Partial<BuildAsset>): string {
  const document = parseDocument(text);
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) document.setIn(['asset', name], document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

/** Adds a changelog entry to `text`. */
export function withChangelogEntry(text: string, asset: BuildAsset, entry: ChangelogEntry): string {
  // An empty list is usually written as [], and a new item would be added on the same line.
  if (asset.changelog.length === 0) return editedBuildFile(text, { changelog: [entry] });
  const document = parseDocument(text);
  document.addIn(['asset', 'changelog'], document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/**
 * The platform that matches the flags. `--os` and `--arch` together can name a platform that is not listed; its channel is then the
 * channel shared by all listed platforms, or stable. Throws LocalError if several platforms match, or none, or the channel is unclear.
 */
export function choosePlatform(asset: BuildAsset, flags: Partial<BuildPlatform>): BuildPlatform {
  const matches = asset.platforms.filter(
    (platform) =>
      (flags.os === undefined || canonicalOs(platform.os) === canonicalOs(flags.os)) &&
      (flags.arch === undefined || canonicalArch(platform.arch) === canonicalArch(flags.arch)) &&
      (flags.channel === undefined || platform.channel === flags.channel),
  );
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return { ...only, ...flags };
  if (matches.length === 0 && flags.os !== undefined && flags.arch !== undefined) {
    const channels = [...new Set(asset.platforms.map((platform) => platform.channel))];
    if (flags.channel === undefined && channels.length > 1)
      throw new LocalError(
        `The build file does not list ${flags.os}/${flags.arch}, and its platforms have the channels ${channels.join(', ')}.`,
        'Select one with --channel.',
      );
    return { os: flags.os, arch: flags.arch, channel: flags.channel ?? channels[0] ?? DEFAULT_CHANNEL };
  }
  const listed = asset.platforms.map(({ os, arch, channel }) => `${os}/${arch} on ${channel}`).join(', ');
  throw new LocalError(describeMismatch(matches.length, listed), 'Select one with --os, --arch and --channel.');
}

function describeMismatch(matches: number, listed: string): string {
  if (listed === '') return 'The build file lists no platforms.';
  if (matches === 0) return `No matching platform in the build file, which lists ${listed}.`;
  return `Several matching platforms in the build file, which lists ${listed}.`;
}
