// `chauffeur push`: registers a build and uploads its folder in one step.
import { Command } from 'commander';
import { type Act, collectValues } from './command.ts';

export function pushCommand(act: Act): Command {
  return new Command('push')
    .description('register a build, upload its folder and wait for the virus scan')
    .argument('<folder>', "folder with the game's files")
    .option('--version <version>', 'version of the build, up to 32 characters')
    .option('--os <os>', 'operating system')
    .option('--arch <arch>', 'processor architecture')
    .option('--channel <channel>', 'channel of the build (default: stable)')
    .option('--type <type>', 'type of the build (default: game)')
    .option('--title <title>', 'title (default: the version)')
    .option('--description <text>', 'description for players')
    .option('--engine-version <version>', 'engine version, such as 4.3 or 4.3.0-beta.2')
    .option('--commit <id>', 'commit that it was built from (default: the current commit of Git)')
    .option('--no-commit', 'do not record a commit')
    .option('--changelog <entry>', 'changelog entry, as "title: description"; can be repeated', collectValues)
    .option('--asset <file>', 'build.yml, for values that no flag sets')
    .option('--ignore <glob>', 'leave out matching files, such as *.pdb or saves/*; can be repeated', collectValues)
    .option('--ignore-junk', 'leave out what players should not get, such as .git and private keys (default)')
    .option('--no-ignore-junk', 'include what players should not get')
    .option('--dereference', 'include the targets of symbolic links instead of the links')
    .option('--dry-run', 'list what would be sent, and where, without sending it')
    .option('--no-wait', 'exit after the upload instead of waiting for the scan')
    .option('--timeout <minutes>', 'maximum time to wait for the scan', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .addHelpText(
      'after',
      '\nExample:\n  $ chauffeur push dist/windows --version 1.2.0 --os windows --arch x86_64 --channel beta',
    )
    .action(act(async () => (await import('../actions/push.ts')).push));
}
