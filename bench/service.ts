// Runs the server as a child process on a data folder, for benchmarks.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../packages/server/test/setup/free-port.ts';
import { environmentWith } from '../packages/server/test/setup/programs.ts';

export type Service = {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the spawn of the process to its first 200. */
  readonly startMs: number;
  /** Runs `chauffeur-server admin …` on the same data. Returns its JSON output. */
  admin(command: readonly string[], input?: string): Record<string, string>;
  stop(): Promise<void>;
};

const MAIN = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));
const DEADLINE_MS = 60_000;
const PROBE_MS = 2;

/** Creates a temporary folder for the data of a benchmark. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-bench-'));
  // If this runs as root, PostgreSQL runs under another account, which needs access to the folder.
  await chmod(folder, 0o755);
  return folder;
}

/**
 * Starts the server in all roles or only to answer requests, with file storage and no limits, from the sources or from
 * a `program` of a release. Without a `databaseUrl`, it has an embedded PostgreSQL. Resolves when /health is 200.
 */
export async function startService(
  dataFolder: string,
  {
    program = MAIN,
    databaseUrl,
    role = 'start',
    nodeOptions = [],
  }: {
    program?: string | undefined;
    databaseUrl?: string;
    role?: 'start' | 'api';
    nodeOptions?: readonly string[];
  } = {},
): Promise<Service> {
  const port = await findFreePort();
  const env = environmentWith({
    CHAUFFEUR_DATA: dataFolder,
    CHAUFFEUR_PORT: String(port),
    CHAUFFEUR_LOG_LEVEL: 'warn',
    CHAUFFEUR_LIMIT_UPLOADS: '0',
    CHAUFFEUR_LIMIT_CHUNKS: '0',
    CHAUFFEUR_LIMIT_SESSIONS: '0',
    CHAUFFEUR_LIMIT_STREAMS: '0',
    CHAUFFEUR_LIMIT_CRASHES: '0',
    CHAUFFEUR_LIMIT_CRASH_UPLOADS: '0',
    CHAUFFEUR_LIMIT_CRASH_MB: '0',
    CHAUFFEUR_LIMIT_STORAGE_MB: '0',
    CHAUFFEUR_LIMIT_PUBLIC: '0',
    CHAUFFEUR_LIMIT_READS: '0',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  });
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, program, role], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}/health`, child);
  return {
    url,
    pid: child.pid ?? 0,
    startMs: performance.now() - begun,
    admin: (command, input = '') =>
      JSON.parse(
        execFileSync(process.execPath, [program, 'admin', ...command, '--json'], { env, input, encoding: 'utf8' }),
      ),
    stop: () => end(child),
  };
}

/** Stops the process and waits until it exits. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The port must be known in advance, so that the first response is noticed as early as possible. */
async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while ((await statusOf(url)) !== 200) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error('the service did not respond in time');
    await wait(PROBE_MS);
  }
}

/** Returns undefined while the service is not listening. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = request(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    probe.on('error', () => resolve(undefined));
    probe.end();
  });
}
