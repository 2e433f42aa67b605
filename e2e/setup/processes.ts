// Runs the server and the command as users do: in separate processes with their own environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../../packages/server/test/setup/free-port.ts';
import { COMMAND, environmentWith, SERVER } from '../../packages/server/test/setup/programs.ts';

const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 30_000;

export type Environment = Record<string, string>;
export type Role = 'start' | 'api' | 'worker';
export type Result = { code: number | null; stdout: string; stderr: string };

/** A running server, in its own process or in that of the tests. */
export type Service = {
  readonly url: string;
  /** `url` with `/api/v1`. */
  readonly api: string;
  readonly dataFolder: string;
  /** Its settings, which operators' commands need too. */
  readonly environment: Environment;
  /** Returns its output so far. */
  output(): string;
};

export type ServiceProcess = Service & {
  readonly pid: number;
  hasEnded(): boolean;
  /** Waits until it exits, at most half a minute, and returns its exit code. */
  ended(): Promise<number | null>;
  /** Stops it with SIGTERM, waits at most half a minute, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it with SIGKILL. Its database keeps running. */
  kill(): Promise<void>;
};

/**
 * Starts `chauffeur-server` in a role and waits until it is ready. Settings in `environment` add to its own port and
 * folder; `preload` is a module that is loaded before it, and `program` is used instead of this repository's. The URL
 * of a worker is that of its metrics.
 */
export async function startService(
  dataFolder: string,
  environment: Environment = {},
  { preload, program = SERVER, role = 'start' }: { preload?: string; program?: string; role?: Role } = {},
): Promise<ServiceProcess> {
  const portSetting = role === 'worker' ? 'CHAUFFEUR_METRICS_PORT' : 'CHAUFFEUR_PORT';
  const port = environment[portSetting] ?? String(await findFreePort());
  const own = { CHAUFFEUR_DATA: dataFolder, [portSetting]: port, ...environment };
  const imports = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...imports, program, role], {
    env: environmentWith(own),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, url, () => output);
  return {
    url,
    api: `${url}/api/v1`,
    dataFolder,
    environment: own,
    output: () => output,
    pid: child.pid as number,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended: () => endOf(child, () => output),
    stop: () => end(child, 'SIGTERM', () => output),
    async kill() {
      await end(child, 'SIGKILL', () => output);
    },
  };
}

async function waitUntilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`${url}/ready`).catch(() => undefined);
    if (ready?.ok === true) return;
    await wait(20);
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready:\n${output()}`);
}

function end(child: ChildProcess, signal: NodeJS.Signals, output: () => string): Promise<number | null> {
  const ended = endOf(child, output);
  child.kill(signal);
  return ended;
}

function endOf(child: ChildProcess, output: () => string): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`the service did not stop:\n${output()}`));
  }, STOP_DEADLINE_MS);
  child.once('exit', (code) => {
    clearTimeout(timer);
    resolve(code);
  });
  return promise;
}

/** Runs `chauffeur` with these arguments until it exits. */
export function runCommand(
  args: string[],
  options: { environment: Environment; folder: string; echo?: boolean },
): Promise<Result> {
  return spawnCommand(args, options).ended;
}

/** Runs `chauffeur` in a terminal of Linux, which types `input`, until it exits. Resolves to what the terminal shows. */
export async function runInTerminal(args: string[], options: RunOptions): Promise<string> {
  const command = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  const script = ['--quiet', '--return', '--flush', '--command', command, '/dev/null'];
  return (await launch('script', script, options).ended).stdout;
}

/** Starts `chauffeur` with these arguments, to be interrupted. */
export function spawnCommand(args: string[], options: RunOptions): Running {
  return launch(process.execPath, [COMMAND, ...args], options);
}

export type Running = {
  kill(signal: NodeJS.Signals): void;
  /** What it has printed so far. */
  output(): Pick<Result, 'stdout' | 'stderr'>;
  readonly ended: Promise<Result>;
};
type RunOptions = { environment: Environment; folder?: string; input?: string; echo?: boolean };

/** Starts a program. */
export function launch(
  program: string,
  args: string[],
  { environment, folder, input = '', echo = false }: RunOptions,
): Running {
  const child = spawn(program, args, { cwd: folder, env: environmentWith(environment) });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      if (echo) process.stdout.write(text.replace(/^/gm, '    ').replace(/ {4}$/, ''));
    });
  }
  // A program may end without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  const { promise: ended, resolve, reject } = Promise.withResolvers<Result>();
  child.on('error', reject).on('close', (code) => resolve({ code, ...texts }));
  return { kill: (signal) => child.kill(signal), output: () => ({ ...texts }), ended };
}

/** Creates a folder that all users can enter, because PostgreSQL uses another account if the tests run as root. */
export async function makeFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'chauffeur-'));
  await chmod(path, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
