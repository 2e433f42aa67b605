// `chauffeur build`: registers the build described in build.yml and prints its id.
import { dirname } from 'node:path';
import { registerBuild } from '@chauffeur/contract/operations/builds';
import { choosePlatform, readBuildFile, registrationOf } from '../descriptors/build-file.ts';
import { findCommit } from '../upload/find-commit.ts';
import type { Action } from './action.ts';

type Options = { asset: string; os?: string; arch?: string; channel?: string; commit?: string | boolean };

export const build: Action<Options> = async ({ connect, retryBriefly, signal }, options) => {
  const { asset: file, os, arch, channel } = options;
  const asset = await readBuildFile(file);
  const flags = { ...(os && { os }), ...(arch && { arch }), ...(channel && { channel }) };
  const commit = await findCommit(options.commit, dirname(file));
  const registration = { ...registrationOf(asset, choosePlatform(asset, flags)), ...(commit && { commit }) };
  const client = await connect();
  const data = await retryBriefly(() => client.call(registerBuild, registration, { signal }));
  return { data, lines: [`SERVICE_GAMES_APP_ID=${data.app_id}`, `SERVICE_GAMES_BUILD_ID=${data.build_id}`] };
};
