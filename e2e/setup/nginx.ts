// Runs nginx with its own configuration, in a separate folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../packages/server/test/setup/until.ts';
import { makeFolder } from './processes.ts';

/** The reason to skip a test if `startNginx` returns null. */
export const NO_NGINX = 'skipped: nginx not found';

const NGINX = '/usr/sbin/nginx';
/** Temporary files go to the folder of the configuration. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);

export type Nginx = {
  /** Replaces the directives. Resolves when no request that came before is in progress. */
  reload(directives: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts nginx with these directives of its `http` block, which listens on `port` of 127.0.0.1. Returns null if it is
 * not installed; with CI=true, throws instead.
 */
export async function startNginx(port: number, directives: string): Promise<Nginx | null> {
  if (!(await isNginxInstalled())) return null;
  const folder = await makeFolder();
  const config = join(folder.path, 'nginx.conf');
  await writeFile(config, configure(directives));
  const child = spawn(NGINX, ['-p', folder.path, '-c', config, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // However the tests end, nginx must not keep running.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await folder.remove();
  };
  try {
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      () => `nginx did not start:\n${output}`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async reload(changed) {
      await writeFile(config, configure(changed));
      const old = await workersOf(child);
      child.kill('SIGHUP');
      // A worker with the old configuration ends when its last request has.
      await until(
        async () => {
          const running = await workersOf(child);
          return running.length > 0 && !running.some((pid) => old.includes(pid));
        },
        () => `nginx did not reload:\n${output}`,
      );
    },
    stop,
  };
}

/** With CI=true, throws if it is not. */
export async function isNginxInstalled(): Promise<boolean> {
  const isInstalled = await access(NGINX).then(
    () => true,
    () => false,
  );
  if (!isInstalled && process.env.CI === 'true') throw new Error('nginx not found; install nginx-light');
  return isInstalled;
}

function configure(directives: string): string {
  const lines = [
    'daemon off;',
    'pid nginx.pid;',
    // As root, its workers could not read the folder under another account.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    // A test sends hundreds of requests at once, each of which needs two connections.
    'events { worker_connections 4096; }',
    'http {',
    ...TEMPORARY,
    'access_log off;',
    directives,
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

async function workersOf(master: ChildProcess): Promise<string[]> {
  const children = await readFile(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8');
  return children.split(' ').filter((pid) => pid !== '');
}
