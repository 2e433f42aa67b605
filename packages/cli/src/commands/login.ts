// `chauffeur login`: signs in to a server and keeps the key.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function loginCommand(act: Act): Command {
  return new Command('login')
    .description('sign in to a server, with your approval on its website')
    .option('--no-browser', 'do not open the page, only print its URL')
    .addHelpText('after', '\nExample:\n  $ chauffeur login --url https://games.example.com/api/v1')
    .action(act(async () => (await import('../actions/login.ts')).login));
}
