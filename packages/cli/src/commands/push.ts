// `chauffeur push`: registers a build and uploads its folder in one step.
import { formatPlatform } from '@chauffeur/contract/format';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import { PAGES } from '@chauffeur/contract/pages';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { readBuildFile } from '../descriptors/build-file.ts';
import type { Result } from '../output.ts';
import { dataOf, describeSent, tableOfModules } from '../symbols/describe-symbols.ts';
import { type FoundSymbols, findSymbols, sendSymbols } from '../symbols/send-symbols.ts';
import { type DeployInfo, noteChannel } from '../upload/find-build.ts';
import { listNames } from '../upload/oddities.ts';
import { previewGame } from '../upload/preview.ts';
import { addBuildOptions, type RegistrationFlags, readRegistration, register } from '../upload/registration.ts';
import {
  describeFile,
  formatFile,
  type Game,
  isOffered,
  type ListFlags,
  listGame,
  reportOf,
  uploadGame,
} from '../upload/upload-game.ts';
import { parseMinutes } from '../upload/wait-for-scan.ts';
import { withTempFolder } from '../zip/zip.ts';
import { type Act, type Action, addFileOptions, collectValues, withExample } from './command.ts';

export function pushCommand(command: Command, act: Act): Command {
  const example = 'push dist/windows --version 1.2.0 --os windows --arch x86_64 --channel beta';
  return addFileOptions(
    addBuildOptions(withExample(command, example).argument('<folder>', "folder with the game's files")),
  )
    .option('--no-wait', 'exit after the upload instead of waiting for the scan')
    .option('--timeout <minutes>', 'maximum time to wait for the scan', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--whole', 'upload everything, also what the server has from earlier files of the game')
    .option(
      '--symbols <path>',
      'also convert and upload debug information, like chauffeur symbols; can be repeated',
      collectValues,
    )
    .option('--tmp <folder>', "folder for temporary files (default: the system's temporary folder)")
    .action(act(push));
}

type Options = ListFlags &
  RegistrationFlags & {
    dryRun?: true;
    wait: boolean;
    timeout: string;
    resume: boolean;
    whole?: true;
    symbols?: string[];
    tmp?: string;
  };

const push: Action<Options> = async (context, options, folder = '') => {
  const minutes = parseMinutes(options.timeout);
  const asset = options.asset === undefined ? undefined : await readBuildFile(options.asset);
  const registration = await readRegistration(options, asset);
  const { identity } = registration;
  const { resume, symbols = [], tmp } = options;
  const listed = await listGame({ folder }, options, identity, context);
  const game = symbols.length > 0 ? listed : withSymbolWarning(listed, context);
  return withSymbols(symbols, tmp, context, async (found) => {
    if (options.dryRun) return preview(game, identity, found, context);
    const client = await context.connect();
    const { build_id, files } = await register(client, registration, context);
    const target = { ...identity, build_id, files };
    // Symbols come before the game, so that they are there for its first crash.
    const sent = found && (await sendSymbols(found, { client, buildId: build_id, isDryRun: false }, context));
    const wait = options.wait ? minutes : undefined;
    const file = await uploadGame(
      client,
      game.entries,
      target,
      { resume, tmp, wait, whole: options.whole === true },
      context,
    );
    const info = await context.retryBriefly(() => client.call(getDeployInfo, {}, { signal: context.signal }));
    if (isOffered(file)) noteChannel(info, target, context);
    const page = pageOf(info, target.build_id);
    return {
      data: {
        ...{ ...file, build_id: target.build_id, app_id: info.app_id, version: identity.version, page },
        ...reportOf(game),
        ...(sent && { symbols: dataOf(sent) }),
      },
      lines: [
        ...(sent === null ? [] : [...tableOfModules(sent.modules), '']),
        `${describeShipped(file, identity, info)}: ${page}`,
        `Build id: ${target.build_id}`,
      ],
      piped: [`build_id=${target.build_id}`, ...formatFile(file), `page=${page}`],
    };
  });
};

/** Runs `work` with the symbols in the paths, or with null if there are no paths. */
async function withSymbols<T>(
  paths: readonly string[],
  tmp: string | undefined,
  context: Context,
  work: (found: FoundSymbols | null) => Promise<T>,
): Promise<T> {
  if (paths.length === 0) return work(null);
  return withTempFolder(tmp, async (temp) => work(await findSymbols(paths, temp, context)));
}

async function preview(
  game: Game,
  identity: BuildIdentity,
  found: FoundSymbols | null,
  context: Context,
): Promise<Result> {
  const result = await previewGame(game, identity, context);
  if (found === null) return result;
  const sent = await sendSymbols(found, null, context);
  return {
    data: { ...result.data, symbols: dataOf(sent) },
    lines: [...result.lines, '', ...tableOfModules(sent.modules), describeSent(sent, true)],
  };
}

const DEBUG_SYMBOLS = 'debug symbols';

/** Warns about debug files in the folder of the game, which are left out. */
function withSymbolWarning(game: Game, { output }: Context): Game {
  const names = game.leftOut.flatMap(({ path, reason }) => (reason === DEBUG_SYMBOLS ? path : []));
  if (names.length === 0) return game;
  const warning =
    `the folder has debug symbols, which players should not download: ${listNames(names)}. ` +
    'Upload them with --symbols <folder>, so that crashes show functions and lines.';
  output.note(`warning: ${warning}`);
  return { ...game, warnings: [...game.warnings, warning] };
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
