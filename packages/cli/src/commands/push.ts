// `chauffeur push`: registers a build and uploads its folder in one step.
import type { Command } from 'commander';
import { type Act, addFileOptions, collectValues, newCommand } from './command.ts';

export function pushCommand(act: Act): Command {
  return addFileOptions(
    newCommand(
      'push',
      'register a build, upload its folder and wait for the virus scan',
      'push dist/windows --version 1.2.0 --os windows --arch x86_64 --channel beta',
    )
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
      .option('--asset <file>', 'build.yml, for values that no flag sets'),
  )
    .option('--no-wait', 'exit after the upload instead of waiting for the scan')
    .option('--timeout <minutes>', 'maximum time to wait for the scan', '30')
    .option('--no-resume', 'start over instead of resuming an interrupted upload')
    .option('--tmp <folder>', "folder for the temporary zip (default: the system's temporary folder)")
    .action(act(async () => (await import('../actions/push.ts')).push));
}
