// `chauffeur symbols`: uploads the Breakpad symbols of a build that the service does not have yet.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function symbolsCommand(act: Act): Command {
  return new Command('symbols')
    .description('upload Breakpad .sym files for a build')
    .argument('<path>', 'folder with .sym files, a single .sym file, or a zip of them')
    .requiredOption('--build-id <id>', 'id of the build, as printed by chauffeur build')
    .option('--tmp <folder>', "folder for temporary zips (default: the system's temporary folder)")
    .addHelpText('after', '\nExample:\n  $ chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" build/symbols')
    .action(act(async () => (await import('../actions/symbols.ts')).symbols));
}
