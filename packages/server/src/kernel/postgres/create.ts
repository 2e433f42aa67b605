// Creates a cluster with initdb at the first start.
import { chown, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../private-files.ts';
import type { Log } from '../telemetry/log.ts';
import { USER } from './ask.ts';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { spawnAsOwner } from './spawn.ts';

/** Creates the cluster unless it exists. Throws EmbeddedPostgresError with the message of initdb. */
export async function createCluster(cluster: Cluster, log: Log): Promise<void> {
  const made = await stat(join(cluster.folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (made) return;
  log.info({ folder: cluster.folder }, 'creating the embedded PostgreSQL');
  // Created next to its final place and moved when complete: a first start that was killed must not leave half a
  // cluster.
  const making = `${cluster.folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: PRIVATE_FOLDER });
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
