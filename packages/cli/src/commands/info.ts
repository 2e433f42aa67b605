// `chauffeur info`: shows the game of the deploy key or login, its URLs, limits and recent builds.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function infoCommand(act: Act): Command {
  return new Command('info')
    .description('show the game of the deploy key or login, its URLs, limits and recent builds')
    .addHelpText('after', '\nExample:\n  $ chauffeur info --json')
    .action(act(async () => (await import('../actions/info.ts')).info));
}
