// `chauffeur addchangelog`: adds an entry to the changelog in build.yml.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function addchangelogCommand(act: Act): Command {
  return new Command('addchangelog')
    .description('add an entry to the changelog in build.yml')
    .requiredOption('--title <title>', 'short summary of the change')
    .requiredOption('--description <text>', 'full description of the change')
    .option('--asset <file>', 'build file to edit', 'build.yml')
    .addHelpText(
      'after',
      '\nExample:\n  $ chauffeur addchangelog --title "Boss fight" --description "The dragon wakes."',
    )
    .action(act(async () => (await import('../actions/addchangelog.ts')).addchangelog));
}
