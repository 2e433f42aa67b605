// `chauffeur verify` and `uninstall`: check and remove an installed game. Neither asks the server.
import { uninstall } from '@chauffeur/updater/uninstall';
import { verify } from '@chauffeur/updater/updater';
import type { Command } from 'commander';
import { listPaths, withProgress } from '../installs.ts';
import { formatCount } from '../output.ts';
import { type Act, type Action, withExample } from './command.ts';

export function verifyCommand(command: Command, act: Act): Command {
  return withExample(command, 'verify night-owls')
    .argument('[folder]', 'folder of the game', '.')
    .action(act(verifyGame));
}

const verifyGame: Action<object> = async (context, _options, folder = '.') => {
  const { game, version, changed, missing, added } = await withProgress(context, {}, folder, verify);
  const isWhole = changed.length === 0 && missing.length === 0;
  const list = (title: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${formatCount(paths.length, 'file')} ${title}:`, ...listPaths(paths)];
  const lines = [
    isWhole
      ? `All files of ${game} ${version.version} are as they were installed.`
      : `Some files of ${game} ${version.version} are not as they were installed. To replace them: chauffeur repair`,
    ...list('changed', changed),
    ...list('missing', missing),
    ...list('added', added),
  ];
  const data = {
    ...{ game, build_id: version.buildId, version: version.version, ok: isWhole },
    changed,
    missing,
    added,
  };
  return { data, lines, exitCode: isWhole ? 0 : 1 };
};

export function uninstallCommand(command: Command, act: Act): Command {
  return withExample(command, 'uninstall night-owls')
    .argument('[folder]', 'folder of the game', '.')
    .action(act(uninstallGame));
}

const uninstallGame: Action<object> = async (context, _options, folder = '.') => {
  const { game, folder: path, kept } = await withProgress(context, {}, folder, uninstall);
  const lines = [
    `Removed ${game} from ${path}.`,
    ...(kept.length > 0
      ? [`Left ${formatCount(kept.length, 'file')} that you changed or added:`, ...listPaths(kept)]
      : []),
  ];
  return { data: { game, folder: path, kept }, lines };
};
