// `chauffeur addchangelog`: adds an entry to the changelog in build.yml.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function addchangelogCommand(act: Act): Command {
  return newCommand(
    'addchangelog',
    'add an entry to the changelog in build.yml',
    'addchangelog --title "Boss fight" --description "The dragon wakes."',
  )
    .requiredOption('--title <title>', 'short summary of the change')
    .requiredOption('--description <text>', 'full description of the change')
    .option('--asset <file>', 'build file to edit', 'build.yml')
    .action(act(async () => (await import('../actions/addchangelog.ts')).addchangelog));
}
