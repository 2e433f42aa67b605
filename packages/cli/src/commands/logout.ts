// `chauffeur logout`: revokes and forgets the key of a server.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function logoutCommand(act: Act): Command {
  return newCommand('logout', 'sign out of a server: revoke and forget the key', 'logout').action(
    act(async () => (await import('../actions/logout.ts')).logout),
  );
}
