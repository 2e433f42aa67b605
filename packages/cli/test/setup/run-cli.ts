// Runs the command as a separate process, as users do.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMMAND } from '../../../server/test/setup/programs.ts';
import { KEY, type Peer } from './peer.ts';

export type CliResult = { code: number | null; stdout: string; stderr: string };
type Options = { cwd: string; peer?: Peer; env?: Record<string, string>; stdin?: string };

/** Starts `chauffeur` with the key and URL of the peer in its environment, and no other settings. */
export function startCli(
  args: readonly string[],
  { cwd, peer, env = {}, stdin = '' }: Options,
): { child: ChildProcess; exit: Promise<CliResult> } {
  const { PATH = '', TMPDIR = '' } = process.env;
  const credentials = peer && {
    SERVICE_API_URL: peer.url,
    SERVICE_ACCESS_TOKEN: KEY.access,
    SERVICE_SECRET_KEY: KEY.secret,
  };
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd,
    env: { PATH, TMPDIR, XDG_CONFIG_HOME: join(cwd, '.config'), ...credentials, ...env },
  });
  child.stdin.end(stdin);
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const outputs = Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { child, exit: outputs.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
}

export function runCli(args: readonly string[], options: Options): Promise<CliResult> {
  return startCli(args, options).exit;
}
