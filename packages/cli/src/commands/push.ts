// `chauffeur push`: registers a build and uploads its folder in one step.
import { formatPlatform } from '@chauffeur/contract/format';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import { PAGES } from '@chauffeur/contract/pages';
import type { Command } from 'commander';
import { readBuildFile } from '../descriptors/build-file.ts';
import { type DeployInfo, noteChannel } from '../upload/find-build.ts';
import { previewGame } from '../upload/preview.ts';
import { addBuildOptions, type RegistrationFlags, readRegistration, register } from '../upload/registration.ts';
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
import { type Act, type Action, addFileOptions, withExample } from './command.ts';

export function pushCommand(command: Command, act: Act): Command {
  const example = 'push dist/windows --version 1.2.0 --os windows --arch x86_64 --channel beta';
  return addFileOptions(
    addBuildOptions(withExample(command, example).argument('<folder>', "folder with the game's files")),
  )
    .option('--no-wait', 'exit after the upload instead of waiting for the scan')
    .option('--timeout <minutes>', 'maximum time to wait for the scan', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .action(act(push));
}

type Options = ListFlags &
  RegistrationFlags & {
    dryRun?: true;
    wait: boolean;
    timeout: string;
    resume: boolean;
    tmp?: string;
  };

const push: Action<Options> = async (context, options, folder = '') => {
  const minutes = parseMinutes(options.timeout);
  const asset = options.asset === undefined ? undefined : await readBuildFile(options.asset);
  const registration = await readRegistration(options, asset);
  const { identity } = registration;
  const game = await listGame({ folder }, options, identity, context);
  if (options.dryRun) return previewGame(game, identity, context);
  const client = await context.connect();
  const { build_id, files } = await register(client, registration, context);
  const target = { ...identity, build_id, files };
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
