// `chauffeur doctor`: checks everything that an upload needs, and says what to fix.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function doctorCommand(act: Act): Command {
  return newCommand(
    'doctor',
    'check the address, proxy, TLS, clock, deploy key and disk, and say what to fix',
    'doctor --json',
  )
    .option('--tmp <folder>', "folder for the temporary zip of uploads (default: the system's temporary folder)")
    .action(act(async () => (await import('../actions/doctor.ts')).doctor));
}
