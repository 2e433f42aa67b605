// `chauffeur genbuild`: writes build.yml, or updates an existing one for a new version.
import type { Command } from 'commander';
import { type Act, collectValues, newCommand } from './command.ts';

export function genbuildCommand(act: Act): Command {
  return newCommand(
    'genbuild',
    'write build.yml, or update an existing one; fields without a flag keep their values',
    'genbuild --version 1.2.0 --os windows --arch x86_64',
  )
    .requiredOption('--version <version>', 'version of the build, up to 32 characters')
    .option('--title <title>', 'title (default: the version)')
    .option('--description <text>', 'description for players')
    .option('--type <type>', 'type of the build (default: game)')
    .option('--engine-version <version>', 'engine version, such as 4.3 or 4.3.0-beta.2')
    .option('--channel <channel>', 'channel of the platforms (default: stable)')
    .option('--os <os>', 'operating system; can be repeated, with --arch, for several platforms', collectValues)
    .option('--arch <arch>', 'processor architecture: one for all platforms, or one for each --os', collectValues)
    .option('--out <file>', 'file to write', 'build.yml')
    .option('--force', 'overwrite an existing file')
    .action(act(async () => (await import('../actions/genbuild.ts')).genbuild));
}
