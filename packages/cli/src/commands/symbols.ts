// `chauffeur symbols`: uploads the Breakpad symbols of a build that the service does not have yet.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function symbolsCommand(act: Act): Command {
  return newCommand(
    'symbols',
    'upload Breakpad .sym files for a build',
    'symbols --build-id "$SERVICE_GAMES_BUILD_ID" build/symbols',
  )
    .argument('<path>', 'folder with .sym files, a single .sym file, or a zip of them')
    .requiredOption('--build-id <id>', 'id of the build, as printed by chauffeur build')
    .option('--tmp <folder>', "folder for temporary zips (default: the system's temporary folder)")
    .action(act(async () => (await import('../actions/symbols.ts')).symbols));
}
