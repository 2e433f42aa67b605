// build.yml: what a build is, written by genbuild and addchangelog, read by build.

import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import type { InputOf } from '@chauffeur/contract/operation';
import { Registration, type registerBuild } from '@chauffeur/contract/operations/builds';
import { parseDocument } from 'yaml';
import { LocalError } from '../failures.ts';
import { checkField, fieldsOf, listOf, parseYml, readIfPresent, textsOf, ymlOf } from './yml.ts';

export type BuildPlatform = { os: string; arch: string; channel: string };
export type ChangelogEntry = { title: string; description: string };

/** The `asset` of a build.yml; texts that are not given are left out. */
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
const TEXTS = { title, type: build_type, description, version, engine_version } as const;

/** The asset of `file`, checked. Rejects with LocalError, also when there is no such file. */
export async function readBuildFile(file: string): Promise<BuildAsset> {
  const text = await readIfPresent(file);
  if (text === null)
    throw new LocalError(`${file}: does not exist.`, 'Write it with chauffeur genbuild --version <version>.');
  return parseBuildFile(file, text);
}

/** Throws LocalError with the field at fault. */
export function parseBuildFile(file: string, text: string): BuildAsset {
  const fields = fieldsOf(`${file}: asset`, parseYml(file, text, 'build').asset);
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

/** Checks every field as the service will. Throws LocalError. */
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
  const texts = textsOf(name, fieldsOf(name, value), ['os', 'arch', 'channel']);
  return { os: texts.os ?? '', arch: texts.arch ?? '', channel: texts.channel ?? DEFAULT_CHANNEL };
}

function changelogEntryOf(value: unknown, index: number): ChangelogEntry {
  const name = `asset.changelog[${index}]`;
  const texts = textsOf(name, fieldsOf(name, value), ['title', 'description']);
  return { title: texts.title ?? '', description: texts.description ?? '' };
}

/** A new build.yml. */
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

/** `text` with some fields of its asset replaced; comments and everything else stay. */
export function editedBuildFile(text: string, changes: Partial<BuildAsset>): string {
  const document = parseDocument(text);
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) document.setIn(['asset', name], document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

/** `text` with one more changelog entry. */
export function withChangelogEntry(text: string, asset: BuildAsset, entry: ChangelogEntry): string {
  // An empty list is usually written [], in which a new item would stand on the same line.
  if (asset.changelog.length === 0) return editedBuildFile(text, { changelog: [entry] });
  const document = parseDocument(text);
  document.addIn(['asset', 'changelog'], document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/**
 * The one platform of the asset that fits the flags. `--os` and `--arch` together name one that need not be listed; its
 * channel is then the one that all listed platforms share, or else stable. Throws LocalError when several or none fit.
 */
export function choosePlatform(asset: BuildAsset, flags: Partial<BuildPlatform>): BuildPlatform {
  const fits = asset.platforms.filter(
    (platform) =>
      (flags.os === undefined || canonicalOs(platform.os) === canonicalOs(flags.os)) &&
      (flags.arch === undefined || canonicalArch(platform.arch) === canonicalArch(flags.arch)) &&
      (flags.channel === undefined || platform.channel === flags.channel),
  );
  const [only] = fits;
  if (only !== undefined && fits.length === 1) return { ...only, ...flags };
  if (fits.length === 0 && flags.os !== undefined && flags.arch !== undefined) {
    const channels = new Set(asset.platforms.map((platform) => platform.channel));
    const shared = channels.size === 1 ? [...channels][0] : undefined;
    return { os: flags.os, arch: flags.arch, channel: flags.channel ?? shared ?? DEFAULT_CHANNEL };
  }
  const listed = asset.platforms.map(({ os, arch, channel }) => `${os}/${arch} on ${channel}`).join(', ');
  throw new LocalError(
    `${fits.length === 0 ? 'No platform' : 'More than one platform'} of the file fits. Listed: ${listed || 'none'}.`,
    'Name one with --os, --arch and --channel.',
  );
}

/** The registration of one platform's build, checked. Throws LocalError. */
export function registrationOf(asset: BuildAsset, platform: BuildPlatform): InputOf<typeof registerBuild> {
  checkPlatform('platform', platform);
  const { type, platforms: _, changelog, ...texts } = asset;
  return {
    ...texts,
    ...(type !== undefined && { build_type: type }),
    ...platform,
    changelog_items: changelog,
  } as InputOf<typeof registerBuild>;
}
