// An installation of several processes on this machine: two that answer requests, behind nginx, and two that run jobs,
// with one PostgreSQL database and one S3 server.
import { join } from 'node:path';
import { type RunningClamd, startClamd } from '../../packages/server/test/setup/clamd.ts';
import { createTestDatabase } from '../../packages/server/test/setup/database.ts';
import { findFreePort } from '../../packages/server/test/setup/free-port.ts';
import { startS3 } from '../../packages/server/test/setup/s3.ts';
import { isNginxInstalled, startNginx } from './nginx.ts';
import { type Environment, makeFolder, type Service, type ServiceProcess, startService } from './processes.ts';

/** The reason to skip a test if `startCluster` returns null. */
export const NO_CLUSTER = 'skipped: nginx or versitygw not found';

/** Whether suites that could run on one process run on a cluster. */
export const ON_CLUSTER = process.env.CHAUFFEUR_TEST_CLUSTER === '1';

/** The status of a request with %00 in its path, which nginx refuses itself. */
export const NUL_STATUS = ON_CLUSTER ? 400 : 404;

/** As a service, it has the URL of nginx and the output of all processes. */
export type Cluster = Service & {
  readonly apis: readonly ServiceProcess[];
  readonly workers: readonly ServiceProcess[];
  readonly databaseUrl: string;
  /** Replaces each process by a new one, one after the other, as docs/processes.md says. */
  restartAll(): Promise<void>;
  /** Kills one of the processes that answer requests with SIGKILL, and starts another one in its place. */
  killApi(): Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  /** Whether files are scanned; by default, if clamd is installed. */
  readonly scan?: boolean;
};

/** Returns null if nginx or the S3 server is not installed; with CI=true, throws instead. */
export async function startCluster(settings: Environment = {}, { scan = true }: Options = {}): Promise<Cluster | null> {
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
    const clamd: RunningClamd | null = scan ? await startClamd() : null;
    if (clamd !== null) cleanups.push(() => clamd.stop());
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
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
    const nginx = await startNginx(port, balance(url, apis));
    if (nginx === null) {
      await stop();
      return null;
    }
    cleanups.push(() => nginx.stop());
    return {
      url,
      api: `${url}/api/v1`,
      dataFolder: join(work.path, 'api-0'),
      environment: { CHAUFFEUR_DATA: join(work.path, 'commands'), ...environment },
      output: () => [...past, ...apis, ...workers].map((each) => each.output()).join(''),
      apis,
      workers,
      databaseUrl: database.url,
      async restartAll() {
        for (const index of apis.keys()) {
          const old = apis[index]!;
          apis[index] = await start('api');
          await nginx.reload(balance(url, apis));
          await retire(old, past);
        }
        for (const index of workers.keys()) {
          const old = workers[index]!;
          workers[index] = await start('worker');
          await retire(old, past);
        }
      },
      async killApi() {
        const [old] = apis;
        past.push(old!);
        await old!.kill();
        apis[0] = await start('api');
        await nginx.reload(balance(url, apis));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whether `startCluster` would return a cluster. */
export async function isClusterPossible(): Promise<boolean> {
  const s3 = await startS3();
  await s3?.stop();
  return s3 !== null && (await isNginxInstalled());
}

async function retire(service: ServiceProcess, past: ServiceProcess[]): Promise<void> {
  past.push(service);
  const code = await service.stop();
  if (code !== 0) throw new Error(`a process ended with ${code}:\n${service.output()}`);
}

/** The directives of nginx, as docs/proxy.md and docs/processes.md say. */
function balance(url: string, apis: readonly Service[]): string {
  return `upstream chauffeur {
${apis.map((api) => `  server ${new URL(api.url).host};`).join('\n')}
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
}`;
}
