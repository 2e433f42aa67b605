// `chauffeur builds list`: lists the builds of the game.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function buildsCommand(act: Act): Command {
  const list = new Command('list')
    .description('list the builds, newest first')
    .option('--version <version>', 'only this version')
    .option('--os <os>', 'only this operating system')
    .option('--arch <arch>', 'only this processor architecture')
    .option('--channel <channel>', 'only this channel')
    .option('--page <number>', 'page number, from 1')
    .option('--page-size <number>', 'builds per page, up to 100')
    .addHelpText('after', '\nExample:\n  $ chauffeur builds list --channel beta')
    .action(act(async () => (await import('../actions/builds.ts')).listAll));
  return new Command('builds')
    .description('list the builds of the game')
    .addHelpText('after', '\nExample:\n  $ chauffeur builds list')
    .addCommand(list);
}
