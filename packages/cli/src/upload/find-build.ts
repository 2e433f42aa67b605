// What uploads know about a build: its registration, what its channel offers, and the commit that it was built from.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Client } from '@chauffeur/contract/client';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBuilds, Registration } from '@chauffeur/contract/operations/builds';
import type { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { Context } from '../context.ts';
import { checkField } from '../descriptors/yml.ts';

export type Build = OutputOf<typeof listBuilds>['builds'][number];

type Found = {
  /** Undefined if it is not registered. */
  readonly build: Build | undefined;
  /** A build that differs only in its channel and has no file yet, for which `build` may have been called. */
  readonly elsewhere: Build | undefined;
};

/** Finds the game's build with this version, type, platform and channel. */
export async function findBuild(
  client: Client,
  { version, build_type, os, arch, channel }: BuildIdentity,
  { retryBriefly, signal }: Pick<Context, 'retryBriefly' | 'signal'>,
): Promise<Found> {
  let elsewhere: Build | undefined;
  // The list has no filter for types, of which there can be more than a page has.
  for (let page = 1; ; page++) {
    const query = { version, os, arch, page, page_size: LIMITS.pageSize };
    const { builds, pagination } = await retryBriefly(() => client.call(listBuilds, query, { signal }));
    for (const build of builds.filter((candidate) => candidate.build_type === build_type)) {
      if (build.channel === channel) return { build, elsewhere: undefined };
      if (build.files.length === 0) elsewhere ??= build;
    }
    if (page * LIMITS.pageSize >= pagination.total) return { build: undefined, elsewhere };
  }
}

export type DeployInfo = OutputOf<typeof getDeployInfo>;

/** Prints a note if the channel offers another build: a newer one, or one that was promoted or rolled back to. */
export function noteChannel(
  { channels }: DeployInfo,
  { channel, os, arch, build_id }: BuildIdentity & { build_id: string },
  { output }: Context,
): void {
  const current = channels.find((offer) => offer.channel === channel && offer.os === os && offer.arch === arch);
  if (current?.build_id === build_id) return;
  const offered = current === undefined ? 'no build' : `version ${current.version}`;
  output.note(`Channel ${channel} offers ${offered} for ${os}/${arch}. To offer this build, promote it on its page.`);
}

const TIMEOUT_MS = 5000;

/**
 * The commit from `--commit`, or else the current commit of the Git repository that `folder` is in. Undefined with
 * `--no-commit`, outside a repository, or without git. Throws LocalError for an invalid one.
 */
export async function findCommit(flag: string | boolean | undefined, folder: string): Promise<string | undefined> {
  if (flag === false) return undefined;
  if (typeof flag === 'string') {
    checkField('--commit', Registration.properties.commit, flag);
    return flag;
  }
  try {
    const run = promisify(execFile);
    const { stdout } = await run('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD'], { timeout: TIMEOUT_MS });
    return /^[0-9a-f]{40,64}$/.exec(stdout.trim())?.[0];
  } catch {
    return undefined;
  }
}
