// `chauffeur build`: registers the build described in build.yml and prints its id.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function buildCommand(act: Act): Command {
  return newCommand(
    'build',
    'register a build, or update the build with the same version, type, platform and channel',
    'build --asset build.yml --os windows --arch x86_64',
  )
    .option('--asset <file>', 'build file', 'build.yml')
    .option('--os <os>', 'operating system; optional if the file has a single platform')
    .option('--arch <arch>', 'processor architecture; optional if the file has a single platform')
    .option('--channel <channel>', 'channel (default: the channel in the file)')
    .option('--commit <id>', 'commit that it was built from (default: the current commit of Git)')
    .option('--no-commit', 'do not record a commit')
    .action(act(async () => (await import('../actions/build.ts')).build));
}
