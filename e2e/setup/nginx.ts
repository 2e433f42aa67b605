// Runs nginx with a configuration of its own, in a folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './processes.ts';
import { until } from './until.ts';

/** The reason to skip a test if `startNginx` returns null. */
export const NO_NGINX = 'skipped: nginx not found';

const NGINX = '/usr/sbin/nginx';
/** Temporary files go to the folder of the configuration. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);

export type Nginx = { stop(): Promise<void> };

/**
 * Starts nginx with these directives of its `http` block, which listens on `port` of 127.0.0.1. Returns null if it is
 * not installed; with CI=true, throws instead.
 */
export async function startNginx(port: number, directives: string): Promise<Nginx | null> {
  const isInstalled = await access(NGINX).then(
    () => true,
    () => false,
  );
  if (!isInstalled) {
    if (process.env.CI === 'true') throw new Error('nginx not found; install nginx-light');
    return null;
  }
  const folder = await makeFolder();
  const config = join(folder.path, 'nginx.conf');
  const lines = [
    'daemon off;',
    'pid nginx.pid;',
    // As root, its workers could not read the folder under another account.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'events {}',
    'http {',
    ...TEMPORARY,
    'access_log off;',
    directives,
    '}',
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  const child = spawn(NGINX, ['-p', folder.path, '-c', config, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
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
  return { stop };
}
