// Finds a registered build by its identity.
import type { Client } from '@chauffeur/contract/client';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBuilds } from '@chauffeur/contract/operations/builds';
import type { Context } from '../context.ts';

export type Build = OutputOf<typeof listBuilds>['builds'][number];

/** The game's build with this version, type, platform and channel; undefined if there is none. */
export async function findBuild(
  client: Client,
  { version, build_type, os, arch, channel }: BuildIdentity,
  { retryBriefly, signal }: Pick<Context, 'retryBriefly' | 'signal'>,
): Promise<Build | undefined> {
  const query = { version, os, arch, channel, page_size: LIMITS.pageSize };
  const { builds } = await retryBriefly(() => client.call(listBuilds, query, { signal }));
  return builds.find((build) => build.build_type === build_type);
}
