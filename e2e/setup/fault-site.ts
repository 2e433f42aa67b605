// An installation in which each part can fail: two api processes and a worker, with PostgreSQL, S3 and clamd behind
// proxies, PostgreSQL and S3 on small disks, and a clock that can jump.
import { execFile } from 'node:child_process';
import { access, chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunningClamd, startClamd } from '../../packages/server/test/setup/clamd.ts';
import { findFreePort } from '../../packages/server/test/setup/free-port.ts';
import { startS3 } from '../../packages/server/test/setup/s3.ts';
import { shipAndScan, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { findPostgres, type PostgresServer, query, USER } from './postgres-server.ts';
import { type Environment, makeFolder, type ServiceProcess, startService } from './processes.ts';
import { openStudio, type Studio } from './studio.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const exec = promisify(execFile);

/** The reason to skip the tests if `startFaultSite` returns null. */
export const NO_FAULT_SITE = 'skipped: PostgreSQL or versitygw not found';

/** A disk of a few hundred MB. */
export type SmallDisk = {
  /** Takes all free space. */
  fill(): Promise<void>;
  free(): Promise<void>;
};

export type ProcessName = 'first api' | 'second api' | 'worker';

export type FaultSite = {
  readonly postgres: PostgresServer;
  readonly database: TcpProxy;
  readonly s3: TcpProxy;
  /** Null if clamd is not installed. */
  readonly clamd: TcpProxy | null;
  /** Null if this account can't mount disks. */
  readonly databaseDisk: SmallDisk | null;
  readonly s3Disk: SmallDisk | null;
  /** The folder with the stored objects, as files. */
  readonly bucket: string;
  readonly studio: Studio;
  readonly buildId: string;
  /** The addresses of the api processes (`…/api/v1`). */
  readonly apis: readonly string[];
  /** The settings of the processes, with the data folder that they share. */
  readonly environment: Environment;
  kill(name: ProcessName): Promise<void>;
  /** Starts a process that was killed. */
  start(name: ProcessName): Promise<void>;
  /** Null if faketime is not installed. Moves the clock of all processes by this many seconds from the real time. */
  readonly setClock: ((seconds: number) => Promise<void>) | null;
  /** Throws if a process has ended by itself. */
  assertRunning(): void;
  /** What all processes have printed. */
  output(): string;
  /** The lines of it about unexpected errors of requests, and about errors that ended a process. */
  unexpected(): string;
  stop(): Promise<void>;
};

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const DISK_BYTES = 1_500_000_000;
/** What its load adds in a minute. */
const BYTES_A_MINUTE = 40_000_000;
/** A connection for the tests must be left when the service uses all of its own. */
const CONNECTIONS = 8;
export const MAX_CONNECTIONS = 60;

/** `minutes` is the length of the load. Returns null if a program is not installed; with CI=true, throws instead. */
export async function startFaultSite(minutes: number): Promise<FaultSite | null> {
  const diskBytes = DISK_BYTES + minutes * BYTES_A_MINUTE;
  const work = await makeFolder();
  // They run last first.
  const cleanups: (() => Promise<unknown>)[] = [() => work.remove()];
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const [databaseFolder, s3Folder] = [join(work.path, 'database'), join(work.path, 's3')];
    const databaseDisk = await mountDisk(databaseFolder, diskBytes, cleanups);
    const s3Disk = await mountDisk(s3Folder, diskBytes, cleanups);
    const programs = await findPostgres(work.path);
    const bucket = programs === null ? null : await startS3({ within: s3Folder });
    if (programs === null || bucket === null) {
      await stop();
      return null;
    }
    cleanups.push(
      () => bucket.stop(),
      () => programs.stopAll(),
    );
    await programs.create(databaseFolder, `max_connections = ${MAX_CONNECTIONS}\nmax_wal_size = 128MB`);
    const postgres = await programs.start(databaseFolder, await findFreePort());
    await query(postgres.port, `create database ${USER}`);
    const clamdServer: RunningClamd | null = await startClamd();
    if (clamdServer !== null) cleanups.push(() => clamdServer.stop());
    const database = await startTcpProxy({ host: '127.0.0.1', port: postgres.port });
    const s3 = await startTcpProxy({ host: '127.0.0.1', port: bucket.port });
    const clamd = clamdServer === null ? null : await startTcpProxy({ path: clamdServer.address.replace('unix:', '') });
    cleanups.push(() => Promise.all([database.stop(), s3.stop(), clamd?.stop()]));
    const clock = join(work.path, 'clock');
    const hasFaketime = await access(FAKETIME).then(
      () => true,
      () => false,
    );
    await writeFile(clock, '+0');
    const ports = {
      'first api': await findFreePort(),
      'second api': await findFreePort(),
      worker: await findFreePort(),
    };
    const environment = {
      ...bucket.env,
      DATABASE_URL: `postgresql://${USER}@127.0.0.1:${database.port}/${USER}`,
      CHAUFFEUR_DATABASE_CONNECTIONS: String(CONNECTIONS),
      CHAUFFEUR_BLOBS: bucket.url.replace(`%3A${bucket.port}`, `%3A${s3.port}`),
      CHAUFFEUR_PUBLIC_URL: `http://127.0.0.1:${ports['first api']}`,
      CHAUFFEUR_DATA: join(work.path, 'data'),
      ...(clamd === null ? {} : { CHAUFFEUR_CLAMD: `127.0.0.1:${clamd.port}` }),
      ...Object.fromEntries(UNLIMITED.map((name) => [`CHAUFFEUR_LIMIT_${name}`, '0'])),
      ...(hasFaketime && {
        LD_PRELOAD: FAKETIME,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
    };
    const processes = new Map<ProcessName, ServiceProcess>();
    const past: ServiceProcess[] = [];
    const start = async (name: ProcessName) => {
      const role = name === 'worker' ? 'worker' : 'api';
      const port = { [role === 'worker' ? 'CHAUFFEUR_METRICS_PORT' : 'CHAUFFEUR_PORT']: String(ports[name]) };
      processes.set(name, await startService(environment.CHAUFFEUR_DATA, { ...environment, ...port }, { role }));
    };
    cleanups.push(() => Promise.all([...processes.values()].map((each) => each.kill())));
    for (const name of ['first api', 'second api', 'worker'] as const) await start(name);
    const first = processes.get('first api')!;
    const studio = await openStudio(first);
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
    const { buildId } = await shipAndScan(first, studio, build, zipOfSize(1000));
    const output = () => [...past, ...processes.values()].map((process) => process.output()).join('');
    return {
      postgres,
      database,
      s3,
      clamd,
      databaseDisk,
      s3Disk,
      bucket: bucket.bucket,
      studio,
      buildId,
      apis: (['first api', 'second api'] as const).map((name) => `http://127.0.0.1:${ports[name]}/api/v1`),
      environment,
      async kill(name) {
        const process = processes.get(name)!;
        past.push(process);
        await process.kill();
      },
      start,
      setClock: hasFaketime ? (seconds) => writeFile(clock, `${seconds < 0 ? '' : '+'}${seconds}`) : null,
      assertRunning() {
        for (const [name, process] of processes)
          if (process.hasEnded()) throw new Error(`the ${name} has ended:\n${process.output().slice(-4000)}`);
      },
      output,
      unexpected: () =>
        output()
          .match(/^.*("code":5000|"level":"fatal").*\n/gm)
          ?.join('') ?? '',
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const UNLIMITED = [
  'UPLOADS',
  'SESSIONS',
  'CHUNKS',
  'CRASHES',
  'CRASH_UPLOADS',
  'CRASH_MB',
  'PUBLIC',
  'READS',
  'STORAGE_MB',
];

/** Creates the folder. Returns null if this account can't mount a disk on it. */
async function mountDisk(
  folder: string,
  bytes: number,
  cleanups: (() => Promise<unknown>)[],
): Promise<SmallDisk | null> {
  await mkdir(folder);
  try {
    await exec('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  } catch {
    return null;
  }
  cleanups.push(() => exec('umount', ['--lazy', folder]));
  await chmod(folder, 0o700);
  const full = join(folder, 'full');
  return {
    async fill() {
      // It ends when nothing is left.
      await exec('cp', ['/dev/zero', full]).catch(() => undefined);
    },
    free: () => rm(full, { force: true }),
  };
}
