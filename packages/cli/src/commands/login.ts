// `chauffeur login`: signs in to a server and keeps the key.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function loginCommand(act: Act): Command {
  return newCommand(
    'login',
    'sign in to a server, with your approval on its website',
    'login --url https://games.example.com/api/v1',
  )
    .option('--no-browser', 'do not open the page, only print its URL')
    .action(act(async () => (await import('../actions/login.ts')).login));
}
