// `chauffeur install`, `update` and `repair`: keep a game in a folder up to date.
import { ArchInput, canonicalArch, canonicalOs, OsInput } from '@chauffeur/contract/identity';
import { findProblem } from '@chauffeur/contract/validate';
import { parseAddress } from '@chauffeur/updater/address';
import type { Platform } from '@chauffeur/updater/platform';
import { install, repair, update } from '@chauffeur/updater/updater';
import type { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { addTransferOptions, headersFor, resultOf, type TransferOptions, withProgress } from '../installs.ts';
import { type Act, type Action, withExample } from './command.ts';

type InstallOptions = TransferOptions & { channel?: string; os?: string; arch?: string };

export function installCommand(command: Command, act: Act): Command {
  return addTransferOptions(withExample(command, 'install games.example.com/g/night-owls'))
    .argument('<game>', 'address of the game, such as games.example.com/g/night-owls')
    .argument('[folder]', 'folder for the game; by default, one with its name')
    .option('--channel <name>', 'channel to follow (default: stable)')
    .option('--os <name>', 'install the build for another OS')
    .option('--arch <name>', 'install the build for another processor architecture')
    .action(act(installGame));
}

const installGame: Action<InstallOptions> = async (context, options, game = '', folder = undefined as never) => {
  const parsed = parseAddress(game);
  if (parsed === null)
    throw new LocalError(
      `${game} is not the address of a game.`,
      'Copy it from the browser, such as https://games.example.com/g/night-owls.',
    );
  const { server, headers } = context.playerOf(parsed.server ?? undefined);
  const { channel } = options;
  const result = await withProgress(context, options, folder ?? parsed.game, (transfer) =>
    install({
      ...{ ...transfer, headers, address: { server, game: parsed.game }, platform: platformOf(options) },
      ...(channel !== undefined && { channel }),
    }),
  );
  return resultOf(result, `Installed ${result.game} ${result.to.version} in ${result.folder}.`);
};

/** Throws LocalError. */
function platformOf({ os, arch }: InstallOptions): Partial<Platform> {
  if (os !== undefined && findProblem(OsInput, os) !== null)
    throw new LocalError(`--os: ${os} is not an OS.`, 'Use windows, macos or linux.');
  if (arch !== undefined && findProblem(ArchInput, arch) !== null)
    throw new LocalError(`--arch: ${arch} is not an architecture.`, 'Use x86_64, arm64 or universal, for example.');
  return {
    ...(os !== undefined && { os: canonicalOs(os) }),
    ...(arch !== undefined && { arch: canonicalArch(arch) }),
  };
}

type UpdateOptions = TransferOptions & { channel?: string };

export function updateCommand(command: Command, act: Act): Command {
  return addTransferOptions(withExample(command, 'update night-owls'))
    .argument('[folder]', 'folder of the game', '.')
    .option('--channel <name>', 'follow another channel from now on')
    .action(act(updateGame));
}

const updateGame: Action<UpdateOptions> = async (context, options, folder = '.') => {
  const headers = await headersFor(context, folder);
  const { channel } = options;
  const result = await withProgress(context, options, folder, (transfer) =>
    update({ ...transfer, headers, ...(channel !== undefined && { channel }) }),
  );
  const { game, from, to } = result;
  if (from?.buildId === to.buildId) {
    const { data } = resultOf(result, '');
    return { data, lines: [`${game} ${to.version} is up to date.`] };
  }
  return resultOf(result, `Updated ${game}${from === null ? '' : ` from ${from.version}`} to ${to.version}.`);
};

export function repairCommand(command: Command, act: Act): Command {
  return addTransferOptions(withExample(command, 'repair night-owls'))
    .argument('[folder]', 'folder of the game', '.')
    .action(act(repairGame));
}

const repairGame: Action<TransferOptions> = async (context, options, folder = '.') => {
  const headers = await headersFor(context, folder);
  const result = await withProgress(context, options, folder, (transfer) => repair({ ...transfer, headers }));
  return resultOf(result, `All files of ${result.game} ${result.to.version} are right.`);
};
