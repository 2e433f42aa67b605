// `chauffeur push`: registers a build and uploads its folder in one step.
import type { Client } from '@chauffeur/contract/client';
import { formatPlatform } from '@chauffeur/contract/format';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import type { InputOf } from '@chauffeur/contract/operation';
import { Registration, registerBuild } from '@chauffeur/contract/operations/builds';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import { PAGES } from '@chauffeur/contract/pages';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type BuildAsset, choosePlatform, readBuildFile } from '../descriptors/build-file.ts';
import { checkedDescriptor } from '../descriptors/files-file.ts';
import { checkField } from '../descriptors/yml.ts';
import { LocalError } from '../failures.ts';
import { type Build, type DeployInfo, findBuild, findCommit, noteChannel } from '../upload/find-build.ts';
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
import { type Act, type Action, addFileOptions, collectValues, withExample } from './command.ts';

export function pushCommand(command: Command, act: Act): Command {
  return addFileOptions(
    withExample(command, 'push dist/windows --version 1.2.0 --os windows --arch x86_64 --channel beta')
      .argument('<folder>', "folder with the game's files")
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
      .option('--asset <file>', 'build.yml, for values that no flag sets'),
  )
    .option('--no-wait', 'exit after the upload instead of waiting for the scan')
    .option('--timeout <minutes>', 'maximum time to wait for the scan', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .action(act(push));
}

type Options = ListFlags & {
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
  dryRun?: true;
  wait: boolean;
  timeout: string;
  resume: boolean;
  tmp?: string;
};

/** What is known about a build. Missing fields keep the values of a registered build. */
type Texts = Pick<
  InputOf<typeof registerBuild>,
  'title' | 'description' | 'engine_version' | 'changelog_items' | 'commit'
>;

const push: Action<Options> = async (context, options, folder = '') => {
  const minutes = parseMinutes(options.timeout);
  const asset = options.asset === undefined ? undefined : await readBuildFile(options.asset);
  const {
    path: _,
    build_id: __,
    ...identity
  } = checkedDescriptor(
    {
      ...platformOf(options, asset),
      path: folder,
      version: options.version ?? asset?.version,
      type: options.type ?? asset?.type,
    },
    '--',
  );
  const commit = await findCommit(options.commit, '.');
  const texts = { ...textsOf(options, asset, identity.version), ...(commit && { commit }) };
  const game = await listGame({ folder }, options, identity, context);
  if (options.dryRun) return previewGame(game, identity, context);
  const client = await context.connect();
  const target = { ...identity, ...(await register(client, identity, texts, context)) };
  const { resume, tmp } = options;
  const wait = options.wait ? minutes : undefined;
  const file = await uploadGame(client, game.entries, target, { resume, tmp, wait }, context);
  const info = await context.retryBriefly(() => client.call(getDeployInfo, {}, { signal: context.signal }));
  if (isOffered(file)) noteChannel(info, target, context);
  const page = pageOf(info, target.build_id);
  return {
    data: {
      ...{ ...file, build_id: target.build_id, app_id: info.app_id, version: identity.version, page },
      ...reportOf(game),
    },
    lines: [`${describeShipped(file, identity, info)}: ${page}`, `Build id: ${target.build_id}`],
    piped: [`build_id=${target.build_id}`, ...formatFile(file), `page=${page}`],
  };
};

/** The platform from the flags or the build file. This machine is not a default: CI often builds for other platforms. */
function platformOf({ os, arch, channel }: Options, asset: BuildAsset | undefined) {
  const flags = { ...(os && { os }), ...(arch && { arch }), ...(channel && { channel }) };
  if (asset !== undefined) return choosePlatform(asset, flags);
  if (os !== undefined && arch !== undefined) return flags;
  throw new LocalError(
    'The platform of the build is missing.',
    'Use --os and --arch, such as --os windows --arch x86_64, or --asset with a build.yml that lists the platform.',
  );
}

/** The texts from the flags, or else from the build file. */
function textsOf(options: Options, asset: BuildAsset | undefined, version: string): Texts {
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

/** Registers the build, or updates its texts if there are any. */
async function register(
  client: Client,
  identity: BuildIdentity,
  texts: Texts,
  { retryBriefly, signal, output }: Context,
): Promise<Pick<Build, 'build_id' | 'files'>> {
  const existing = await findBuild(client, identity, { retryBriefly, signal });
  const { commit, ...others } = texts;
  const isSame = Object.keys(others).length === 0 && (commit === undefined || commit === existing?.commit);
  if (existing !== undefined && isSame) return existing;
  const kept = existing && {
    title: existing.title,
    description: existing.description,
    changelog_items: existing.changelog_items,
  };
  const registration = { ...identity, ...kept, ...texts };
  const { build_id } = await retryBriefly(() => client.call(registerBuild, registration, { signal }));
  const { version, os, arch, channel } = identity;
  const verb = existing === undefined ? 'Registered' : 'Updated';
  output.note(`${verb} version ${version} for ${os}/${arch} on channel ${channel}.`);
  return { build_id, files: existing?.files ?? [] };
}

/** `1.0.0 is live on stable for Linux x86_64`, or only that it is uploaded if the channel does not offer it. */
function describeShipped(file: UploadedFile, build: BuildIdentity, { channels }: DeployInfo): string {
  const { version, channel, os, arch } = build;
  const isLive = channels.some((offer) => offer.channel === channel && offer.build_id === file.build_id);
  return isLive && isOffered(file)
    ? `${version} is live on ${channel} for ${formatPlatform({ os, arch })}`
    : describeFile(file, build);
}

function pageOf({ url, slug }: DeployInfo, buildId: string): string {
  return new URL(PAGES.build.replace(':uid', slug).replace(':build_id', buildId), url).href;
}
