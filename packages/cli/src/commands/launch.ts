// `chauffeur launch`: starts an installed game, and waits until it ends.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { launch, programOf } from '@chauffeur/updater/launch';
import { chooseProgram, readInstalled } from '@chauffeur/updater/updater';
import type { Command } from 'commander';
import { LocalError } from '../failures.ts';
import { type Act, type Action, withExample } from './command.ts';

export function launchCommand(command: Command, act: Act): Command {
  return withExample(command, 'launch night-owls -- --windowed')
    .argument('[folder]', 'folder of the game', '.')
    .argument('[args...]', 'arguments for the game, after --')
    .option('--program <path>', 'program to start, in the folder of the game; it is remembered')
    .action(act(launchGame));
}

const launchGame: Action<{ program?: string }> = async ({ env, output }, { program: chosen }, ...all) => {
  // Without a folder, what follows -- are arguments of the game.
  const [folder, args] = all[0] === undefined || all[0].startsWith('-') ? ['.', all] : [all[0], all.slice(1)];
  const installed = await readInstalled({ folder });
  if (installed?.install.build == null || installed.manifest === null)
    throw new LocalError(
      `No complete game is installed in ${resolve(folder)}.`,
      'Name its folder, or run chauffeur repair.',
    );
  const { install, manifest } = installed;
  const { version } = installed.install.build;
  const program = programOf(install, manifest, chosen);
  const stdout = output.json ? 2 : 1;
  const game = await launch({ folder: resolve(folder), install, program, args, env, output: stdout });
  const ended = once(game, 'exit');
  // Only a program that starts is remembered.
  if (chosen !== undefined)
    await chooseProgram({ folder, program }).catch((error: Error) =>
      output.note(`warning: the program was not remembered. ${error.message}`),
    );
  const [code, signal] = (await ended) as [number | null, string | null];
  const exitCode = code ?? 1;
  const data = { game: install.game.name, version, program, exit_code: code, signal };
  return {
    data,
    lines: exitCode === 0 ? [] : [`${install.game.name} ended with ${signal ?? `exit code ${exitCode}`}.`],
    exitCode,
  };
};
