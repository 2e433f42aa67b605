// `chauffeur build`: registers the build described in build.yml and prints its id.
import { registerBuild } from '@chauffeur/contract/operations/builds';
import { Command } from 'commander';
import { choosePlatform, readBuildFile, registrationOf } from '../descriptors/build-file.ts';
import type { Act, Handler } from './command.ts';

type Options = { asset: string; os?: string; arch?: string; channel?: string };

export function buildCommand(act: Act): Command {
  return new Command('build')
    .description('register a build, or update the build with the same version, type, platform and channel')
    .option('--asset <file>', 'build file', 'build.yml')
    .option('--os <os>', 'operating system; optional if the file has a single platform')
    .option('--arch <arch>', 'processor architecture; optional if the file has a single platform')
    .option('--channel <channel>', 'channel (default: the channel in the file)')
    .addHelpText('after', '\nExample:\n  $ chauffeur build --asset build.yml --os windows --arch x86_64')
    .action(act(build));
}

const build: Handler<Options> = async ({ connect, insist, signal }, { asset: file, os, arch, channel }) => {
  const asset = await readBuildFile(file);
  const flags = { ...(os && { os }), ...(arch && { arch }), ...(channel && { channel }) };
  const registration = registrationOf(asset, choosePlatform(asset, flags));
  const client = await connect();
  const data = await insist(() => client.call(registerBuild, registration, { signal }));
  return { data, lines: [`SERVICE_GAMES_APP_ID=${data.app_id}`, `SERVICE_GAMES_BUILD_ID=${data.build_id}`] };
};
