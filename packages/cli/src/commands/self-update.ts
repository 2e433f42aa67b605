// `chauffeur self-update`: installs the version of the command that the server offers.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function selfUpdateCommand(act: Act): Command {
  return newCommand(
    'self-update',
    'install the version of chauffeur that the server offers',
    'self-update --url https://games.example.com/api/v1',
  ).action(act(async () => (await import('../actions/self-update.ts')).selfUpdate));
}
