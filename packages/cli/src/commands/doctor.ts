// `chauffeur doctor`: checks everything that an upload needs, and says what to fix.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function doctorCommand(act: Act): Command {
  return new Command('doctor')
    .description('check the address, proxy, TLS, clock, deploy key and disk, and say what to fix')
    .option('--tmp <folder>', "folder for the temporary zip of uploads (default: the system's temporary folder)")
    .addHelpText('after', '\nExample:\n  $ chauffeur doctor --json')
    .action(act(async () => (await import('../actions/doctor.ts')).doctor));
}
