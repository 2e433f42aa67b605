// `chauffeur build`: registers the build described in build.yml and prints its id.
import { dirname } from 'node:path';
import { registerBuild } from '@chauffeur/contract/operations/builds';
import type { Command } from 'commander';
import { choosePlatform, readBuildFile, registrationOf } from '../descriptors/build-file.ts';
import { findCommit } from '../upload/find-build.ts';
import { type Act, type Action, withExample } from './command.ts';

export function buildCommand(command: Command, act: Act): Command {
  return withExample(command, 'build --asset build.yml --os windows --arch x86_64')
    .option('--asset <file>', 'build file', 'build.yml')
    .option('--os <os>', 'operating system; optional if the file has a single platform')
    .option('--arch <arch>', 'processor architecture; optional if the file has a single platform')
    .option('--channel <channel>', 'channel (default: the channel in the file)')
    .option('--commit <id>', 'commit that it was built from (default: the current commit of Git)')
    .option('--no-commit', 'do not record a commit')
    .action(act(build));
}

type Options = { asset: string; os?: string; arch?: string; channel?: string; commit?: string | boolean };

const build: Action<Options> = async ({ connect, retryBriefly, signal }, options) => {
  const { asset: file, os, arch, channel } = options;
  const asset = await readBuildFile(file);
  const flags = { ...(os && { os }), ...(arch && { arch }), ...(channel && { channel }) };
  const commit = await findCommit(options.commit, dirname(file));
  const registration = { ...registrationOf(asset, choosePlatform(asset, flags)), ...(commit && { commit }) };
  const client = await connect();
  const data = await retryBriefly(() => client.call(registerBuild, registration, { signal }));
  return { data, lines: [`SERVICE_GAMES_APP_ID=${data.app_id}`, `SERVICE_GAMES_BUILD_ID=${data.build_id}`] };
};
