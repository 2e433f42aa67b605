// Runs PostgreSQL's programs under the account that owns the data.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Cluster } from './cluster.ts';

/**
 * Runs a PostgreSQL program under the account that owns the data. If that account cannot enter the folders, such as
 * those below root's home, setpriv(1) grants the program one capability; it still does not run as root. The secure bit
 * is for access(2), by which initdb looks for its server: without it, that call ignores the capability of a user other
 * than root.
 */
export function spawnAsOwner(
  { owner }: Cluster,
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  if (owner === undefined) return spawn(program, args, { cwd: '/', ...options });
  const { uid, gid, mayEnter } = owner;
  if (mayEnter) return spawn(program, args, { cwd: '/', uid, gid, ...options });
  const account = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups'];
  const capability = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return spawn('setpriv', [...account, ...capability, '--', program, ...args], { cwd: '/', ...options });
}
