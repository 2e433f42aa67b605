// `chauffeur info`: shows the game of the deploy key or login, its URLs, limits and recent builds.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function infoCommand(act: Act): Command {
  return newCommand(
    'info',
    'show the game of the deploy key or login, its URLs, limits and recent builds',
    'info --json',
  ).action(act(async () => (await import('../actions/info.ts')).info));
}
