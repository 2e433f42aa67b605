// `chauffeur addfiles`: zips a folder and uploads it to a build.
import type { Command } from 'commander';
import { type Act, addFileOptions, newCommand } from './command.ts';

export function addfilesCommand(act: Act): Command {
  return addFileOptions(
    newCommand(
      'addfiles',
      'zip the folder in addfiles.yml and upload it to its build',
      'addfiles --asset addfiles.yml --ignore "*.pdb" --wait',
    ).option('--asset <file>', 'file written by setfiles', 'addfiles.yml'),
  )
    .option('--wait', 'wait for the virus scan; exits with 2 if the file is rejected')
    .option('--timeout <minutes>', 'maximum time for --wait', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .action(act(async () => (await import('../actions/addfiles.ts')).addfiles));
}
