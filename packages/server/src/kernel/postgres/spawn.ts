// Runs PostgreSQL's programs under the account that owns the data.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Cluster } from './cluster.ts';

/**
 * Runs one of PostgreSQL's programs under the account that owns the data. Where that account may not enter the folders, as
 * below root's home, setpriv(1) lets the program pass: one capability, and still not root. The secure bit is for access(2),
 * by which initdb looks for its server: without it, that call takes the capability away from whoever is not root.
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
