// `chauffeur setfiles`: writes addfiles.yml, which assigns a folder to a build.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function setfilesCommand(act: Act): Command {
  return newCommand(
    'setfiles',
    'write addfiles.yml, which assigns a folder of files to a build',
    'setfiles --version 1.2.0 --os windows --arch x86_64 --files dist/windows',
  )
    .requiredOption('--version <version>', 'version of the build')
    .requiredOption('--os <os>', 'operating system')
    .requiredOption('--arch <arch>', 'processor architecture')
    .requiredOption('--files <folder>', "folder with the game's files")
    .option('--channel <channel>', 'channel of the build', 'stable')
    .option('--build-type <type>', 'type of the build', 'game')
    .option('--build-id <id>', 'id of the build, instead of finding it by version, type, platform and channel')
    .option('--out <file>', 'file to write', 'addfiles.yml')
    .action(act(async () => (await import('../actions/setfiles.ts')).setfiles));
}
