// Finds the commit that a build is made from.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Registration } from '@chauffeur/contract/operations/builds';
import { checkField } from '../descriptors/yml.ts';

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
