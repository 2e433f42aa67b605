// `chauffeur self-update`: installs the version of the command that the server offers.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function selfUpdateCommand(act: Act): Command {
  return new Command('self-update')
    .description('install the version of chauffeur that the server offers')
    .addHelpText('after', '\nExample:\n  $ chauffeur self-update --url https://games.example.com/api/v1')
    .action(act(async () => (await import('../actions/self-update.ts')).selfUpdate));
}
