// `chauffeur build`: registers the build described in build.yml and prints its id.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function buildCommand(act: Act): Command {
  return new Command('build')
    .description('register a build, or update the build with the same version, type, platform and channel')
    .option('--asset <file>', 'build file', 'build.yml')
    .option('--os <os>', 'operating system; optional if the file has a single platform')
    .option('--arch <arch>', 'processor architecture; optional if the file has a single platform')
    .option('--channel <channel>', 'channel (default: the channel in the file)')
    .option('--commit <id>', 'commit that it was built from (default: the current commit of Git)')
    .option('--no-commit', 'do not record a commit')
    .addHelpText('after', '\nExample:\n  $ chauffeur build --asset build.yml --os windows --arch x86_64')
    .action(act(async () => (await import('../actions/build.ts')).build));
}
