// `chauffeur addfiles`: zips a folder and uploads it to a build.
import { Command } from 'commander';
import { type Act, collectValues } from './command.ts';

export function addfilesCommand(act: Act): Command {
  return new Command('addfiles')
    .description('zip the folder in addfiles.yml and upload it to its build')
    .option('--asset <file>', 'file written by setfiles', 'addfiles.yml')
    .option('--ignore <glob>', 'leave out matching files, such as *.pdb or saves/*; can be repeated', collectValues)
    .option('--ignore-junk', 'leave out what players should not get, such as .git and private keys (default)')
    .option('--no-ignore-junk', 'include what players should not get')
    .option('--dereference', 'include the targets of symbolic links instead of the links')
    .option('--dry-run', 'list what would be sent, and where, without sending it')
    .option('--wait', 'wait for the virus scan; exits with 2 if the file is rejected')
    .option('--timeout <minutes>', 'maximum time for --wait', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .addHelpText('after', '\nExample:\n  $ chauffeur addfiles --asset addfiles.yml --ignore "*.pdb" --wait')
    .action(act(async () => (await import('../actions/addfiles.ts')).addfiles));
}
