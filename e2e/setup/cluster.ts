// An installation of several processes on this machine: two that answer requests, behind nginx, and two that run jobs,
// with one PostgreSQL database and one S3 server.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningClamd, startClamd } from '../../packages/server/test/setup/clamd.ts';
import { createTestDatabase } from '../../packages/server/test/setup/database.ts';
import { startS3 } from '../../packages/server/test/setup/s3.ts';
import type { Service } from './processes.ts';
import { type Environment, findFreePort, makeFolder, type ServiceProcess, startService } from './processes.ts';
import { until } from './until.ts';

const NGINX = '/usr/sbin/nginx';

/** The reason to skip a test if `startCluster` returns null. */
export const NO_CLUSTER = 'skipped: nginx or versitygw not found';

/** As a service, it has the URL of nginx and the output of all processes. */
export type Cluster = Service & {
  readonly apis: readonly ServiceProcess[];
  readonly workers: readonly ServiceProcess[];
  readonly databaseUrl: string;
  /** Replaces each process by a new one, one after the other, as docs/processes.md says. */
  restartAll(): Promise<void>;
  stop(): Promise<void>;
};

/** Returns null if nginx or the S3 server is not installed; with CI=true, throws instead. */
export async function startCluster(settings: Environment = {}): Promise<Cluster | null> {
  if (!(await exists(NGINX))) {
    if (process.env.CI === 'true') throw new Error('nginx not found; install nginx-light');
    return null;
  }
  const s3 = await startS3();
  if (s3 === null) return null;
  const work = await makeFolder();
  // They run last first.
  const cleanups: (() => Promise<unknown>)[] = [() => work.remove(), () => s3.stop()];
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const clamd: RunningClamd | null = await startClamd();
    if (clamd !== null) cleanups.push(() => clamd.stop());
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const environment = {
      ...s3.env,
      DATABASE_URL: database.url,
      CHAUFFEUR_BLOBS: s3.url,
      CHAUFFEUR_PUBLIC_URL: url,
      CHAUFFEUR_TRUST_PROXY: '1',
      ...(clamd === null ? {} : { CHAUFFEUR_CLAMD: clamd.address }),
      ...settings,
    };
    let started = 0;
    const past: ServiceProcess[] = [];
    // A folder for each process shows that they share no files.
    const start = (role: 'api' | 'worker') =>
      startService(join(work.path, `${role}-${started++}`), environment, { role });
    const apis: ServiceProcess[] = [];
    const workers: ServiceProcess[] = [];
    cleanups.push(() => Promise.all([...apis, ...workers].map((each) => each.stop())));
    for (const role of ['api', 'api', 'worker', 'worker'] as const)
      (role === 'api' ? apis : workers).push(await start(role));
    const nginx = await startNginx(join(work.path, 'nginx'), url, apis);
    cleanups.push(() => nginx.stop());
    return {
      url,
      api: `${url}/api/v1`,
      dataFolder: join(work.path, 'api-0'),
      environment: { ...environment, CHAUFFEUR_DATA: join(work.path, 'commands') },
      output: () => [...past, ...apis, ...workers].map((each) => each.output()).join(''),
      apis,
      workers,
      databaseUrl: database.url,
      async restartAll() {
        for (const index of apis.keys()) {
          const old = apis[index]!;
          apis[index] = await start('api');
          await nginx.use(apis);
          await retire(old, past);
        }
        for (const index of workers.keys()) {
          const old = workers[index]!;
          workers[index] = await start('worker');
          await retire(old, past);
        }
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function retire(service: ServiceProcess, past: ServiceProcess[]): Promise<void> {
  past.push(service);
  const code = await service.stop();
  if (code !== 0) throw new Error(`a process ended with ${code}:\n${service.output()}`);
}

type Nginx = {
  /** Sends requests to these processes only. Resolves when no request to others is in progress. */
  use(apis: readonly Service[]): Promise<void>;
  stop(): Promise<void>;
};

async function startNginx(folder: string, url: string, apis: readonly Service[]): Promise<Nginx> {
  const config = `${folder}.conf`;
  await writeFile(config, configure(folder, url, apis));
  const master = spawn(NGINX, ['-e', 'stderr', '-c', config, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  // However the tests end, nginx must not keep running. Its workers end with SIGTERM, but not if only it is killed.
  const end = () => master.kill('SIGTERM');
  process.once('exit', end);
  master.once('exit', () => process.removeListener('exit', end));
  const stop = async () => {
    if (hasEnded(master)) return;
    const ended = once(master, 'exit');
    master.kill('SIGTERM');
    await ended;
  };
  try {
    await until(async () => {
      if (hasEnded(master)) throw new Error(`nginx ended with ${master.exitCode}`);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.ok;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async use(chosen) {
      await writeFile(config, configure(folder, url, chosen));
      const old = await workersOf(master);
      master.kill('SIGHUP');
      // A worker with the old configuration ends when its last request has.
      await until(async () => {
        const running = await workersOf(master);
        return running.length > 0 && !running.some((pid) => old.includes(pid));
      });
    },
    stop,
  };
}

/** As docs/proxy.md and docs/processes.md say, with everything in a folder of its own. */
function configure(folder: string, url: string, apis: readonly Service[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
pid ${folder}.pid;
error_log stderr error;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}-${name};`).join('\n')}
  upstream chauffeur {
${apis.map((api) => `    server ${new URL(api.url).host};`).join('\n')}
  }
  server {
    listen ${new URL(url).host};
    keepalive_timeout 0;
    location / {
      proxy_pass http://chauffeur;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_request_buffering off;
      client_max_body_size 0;
      proxy_read_timeout 600s;
    }
    location = /metrics { deny all; }
  }
}
`;
}

async function workersOf(master: ChildProcess): Promise<string[]> {
  const children = await readFile(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8');
  return children.split(' ').filter((pid) => pid !== '');
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
