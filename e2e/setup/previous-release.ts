// Builds the release before the current sources, from the history of the repository.
import { access, copyFile, mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readReleases } from '../../packages/server/src/kernel/database/migrate.ts';
import { run } from '../../scripts/release/run.ts';
import { makeFolder } from './processes.ts';

export const NO_HISTORY = 'skipped: the commit of the previous release not found';

const ROOT = join(import.meta.dirname, '../..');
const RELEASES = 'packages/server/migrations/releases.json';
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'chauffeur-ci', 'releases');

export type Release = {
  readonly version: string;
  /** The package of the server. */
  readonly tarball: string;
};

/** Undefined if the history has no earlier release, as in a shallow clone. In CI it must. */
export async function buildPreviousRelease(): Promise<Release | undefined> {
  const found = await findPreviousRelease();
  if (found === undefined) {
    if (process.env.CI === 'true') throw new Error(NO_HISTORY);
    return undefined;
  }
  const tarball = join(CACHE, `${found.commit}.tgz`);
  const isBuilt = await access(tarball).then(
    () => true,
    () => false,
  );
  if (!isBuilt) await build(found, tarball);
  return { version: found.version, tarball };
}

/** The last release whose commit is not the current one. */
async function findPreviousRelease(): Promise<{ version: string; commit: string } | undefined> {
  const git = (...args: string[]) => run('git', args, ROOT).catch(() => '');
  const head = (await git('rev-parse', 'HEAD')).trim();
  for (const { version } of (await readReleases()).toReversed()) {
    // The commit that added the release to the list.
    const added = await git('log', '--format=%H', '--reverse', `-S"${version}"`, '--', RELEASES);
    const [commit] = added.trim().split('\n');
    if (commit !== undefined && commit !== '' && commit !== head) return { version, commit };
  }
  return undefined;
}

/** Kept for later runs, because it takes minutes. */
async function build({ version, commit }: { version: string; commit: string }, tarball: string): Promise<void> {
  const work = await makeFolder();
  try {
    await run('sh', ['-euc', `git archive ${commit} | tar -x -C ${work.path}`], ROOT);
    await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], work.path);
    await run('npm', ['run', 'release', '--', '--server'], work.path);
    await mkdir(CACHE, { recursive: true });
    await copyFile(join(work.path, `release/chauffeur-server-${version}.tgz`), `${tarball}.new`);
    await rename(`${tarball}.new`, tarball);
  } finally {
    await work.remove();
  }
}
