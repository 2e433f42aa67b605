// What `build` and `push` register a build with: from flags, and from build.yml for what no flag sets.
import type { Client } from '@chauffeur/contract/client';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import type { InputOf } from '@chauffeur/contract/operation';
import { Registration, registerBuild } from '@chauffeur/contract/operations/builds';
import type { Command } from 'commander';
import { collectValues } from '../commands/command.ts';
import type { Context } from '../context.ts';
import { type BuildAsset, choosePlatform } from '../descriptors/build-file.ts';
import { checkedDescriptor } from '../descriptors/files-file.ts';
import { checkField } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import { type Build, findBuild, findCommit } from './find-build.ts';

/** Adds the options that describe a build. */
export function addBuildOptions(command: Command): Command {
  return command
    .option('--version <version>', 'version of the build, up to 32 characters')
    .option('--os <os>', 'operating system')
    .option('--arch <arch>', 'processor architecture')
    .option('--channel <channel>', 'channel of the build (default: stable)')
    .option('--type <type>', 'type of the build (default: game)')
    .option('--title <title>', 'title (default: the version)')
    .option('--description <text>', 'description for players')
    .option('--engine-version <version>', 'engine version, such as 4.3 or 4.3.0-beta.2')
    .option('--commit <id>', 'commit that it was built from (default: the current commit of Git)')
    .option('--no-commit', 'do not record a commit')
    .option('--changelog <entry>', 'changelog entry, as "title: description"; can be repeated', collectValues)
    .option('--asset <file>', 'build.yml, for values that no flag sets');
}

export type RegistrationFlags = {
  version?: string;
  os?: string;
  arch?: string;
  channel?: string;
  type?: string;
  title?: string;
  description?: string;
  engineVersion?: string;
  changelog?: string[];
  commit?: string | boolean;
  asset?: string;
};

/** What is known about a build. Missing fields keep the values of a registered build. */
type Texts = Pick<
  InputOf<typeof registerBuild>,
  'title' | 'description' | 'engine_version' | 'changelog_items' | 'commit'
>;

export type NewRegistration = { identity: BuildIdentity; texts: Texts };

/** Reads what to register; the commit is that of `folder`. Rejects with LocalError if a value is missing or invalid. */
export async function readRegistration(
  flags: RegistrationFlags,
  asset: BuildAsset | undefined,
  folder = '.',
): Promise<NewRegistration> {
  const {
    path: _,
    build_id: __,
    ...identity
  } = checkedDescriptor(
    {
      ...platformOf(flags, asset),
      path: '.',
      version: flags.version ?? asset?.version,
      type: flags.type ?? asset?.type,
    },
    '--',
  );
  const commit = await findCommit(flags.commit, folder);
  return { identity, texts: { ...textsOf(flags, asset, identity.version), ...(commit && { commit }) } };
}

/** The platform from the flags or the build file. This machine is not a default: CI often builds for other platforms. */
function platformOf({ os, arch, channel }: RegistrationFlags, asset: BuildAsset | undefined) {
  const flags = { ...(os && { os }), ...(arch && { arch }), ...(channel && { channel }) };
  if (asset !== undefined) return choosePlatform(asset, flags);
  if (os !== undefined && arch !== undefined) return flags;
  throw new LocalError(
    'The platform of the build is missing.',
    'Use --os and --arch, such as --os windows --arch x86_64, or --asset with a build.yml that lists the platform.',
  );
}

/** The texts from the flags, or else from the build file. */
function textsOf(options: RegistrationFlags, asset: BuildAsset | undefined, version: string): Texts {
  const { title, description, engine_version, changelog_items } = Registration.properties;
  const changelog = options.changelog?.map(changelogItemOf);
  const flags = { title: options.title, description: options.description, engine: options.engineVersion, changelog };
  if (flags.title !== undefined) checkField('--title', title, flags.title);
  if (flags.description !== undefined) checkField('--description', description, flags.description);
  if (flags.engine !== undefined) checkField('--engine-version', engine_version, flags.engine);
  if (changelog !== undefined) checkField('--changelog', changelog_items, changelog);
  // A title that is just the version changes with it.
  const assetTitle = asset?.title === asset?.version ? asset && version : asset?.title;
  const texts = {
    title: flags.title ?? assetTitle,
    description: flags.description ?? asset?.description,
    engine_version: flags.engine ?? asset?.engine_version,
    changelog_items: changelog ?? asset?.changelog,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
}

function changelogItemOf(text: string): { title: string; description: string } {
  const [, title = text, description = ''] = /^(.*?):\s+(.*)$/s.exec(text) ?? [];
  return { title: title.trim(), description: description.trim() };
}

/** Registers the build, or updates its texts if there are any. Texts that are missing stay as they are. */
export async function register(
  client: Client,
  { identity, texts }: NewRegistration,
  { retryBriefly, signal, output }: Context,
): Promise<Pick<Build, 'build_id' | 'app_id' | 'title' | 'files'> & { created: boolean }> {
  const { build: existing, elsewhere } = await findBuild(client, identity, { retryBriefly, signal });
  const { commit, ...others } = texts;
  const isSame = Object.keys(others).length === 0 && (commit === undefined || commit === existing?.commit);
  if (existing !== undefined && isSame) return { ...existing, created: false };
  const kept = existing && {
    title: existing.title,
    description: existing.description,
    changelog_items: existing.changelog_items,
  };
  const registration = { ...identity, ...kept, ...texts };
  const registered = await retryBriefly(() => client.call(registerBuild, registration, { signal }));
  const { version, os, arch, channel } = identity;
  // Reports of players would name a build without a file.
  if (elsewhere !== undefined)
    output.note(
      `warning: version ${version} for ${os}/${arch} is also registered on channel ${elsewhere.channel}, without a file. If the game was built with its id ${elsewhere.build_id}, use --channel ${elsewhere.channel}, then promote the build to ${channel}.`,
    );
  const verb = existing === undefined ? 'Registered' : 'Updated';
  output.note(`${verb} version ${version} for ${os}/${arch} on channel ${channel}.`);
  return { ...registered, files: existing?.files ?? [] };
}
