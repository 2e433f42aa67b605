// `chauffeur logout`: revokes and forgets the key of a server.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function logoutCommand(act: Act): Command {
  return new Command('logout')
    .description('sign out of a server: revoke and forget the key')
    .addHelpText('after', '\nExample:\n  $ chauffeur logout')
    .action(act(async () => (await import('../actions/logout.ts')).logout));
}
