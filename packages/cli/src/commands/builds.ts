// `chauffeur builds list`: lists the builds of the game.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function buildsCommand(act: Act): Command {
  const list = newCommand('list', 'list the builds, newest first', 'builds list --channel beta')
    .option('--version <version>', 'only this version')
    .option('--os <os>', 'only this operating system')
    .option('--arch <arch>', 'only this processor architecture')
    .option('--channel <channel>', 'only this channel')
    .option('--page <number>', 'page number, from 1')
    .option('--page-size <number>', 'builds per page, up to 100')
    .action(act(async () => (await import('../actions/builds.ts')).listAll));
  return newCommand('builds', 'list the builds of the game', 'builds list').addCommand(list);
}
