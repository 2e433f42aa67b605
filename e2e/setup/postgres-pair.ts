// A PostgreSQL with a streaming standby behind HAProxy, which sends connections to the server that accepts writes.
// All run the programs that Debian installs.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, glob, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../packages/server/test/setup/free-port.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { findPostgres, killProcess, type PostgresServer, query, USER } from './postgres-server.ts';
import { makeFolder } from './processes.ts';

/** The reason to skip a test if `startPostgresPair` returns null. */
export const NO_PAIR = 'skipped: PostgreSQL or HAProxy not found';

const HAPROXY = '/usr/sbin/haproxy';

export type PostgresPair = {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The URL of the database, by way of HAProxy. */
  readonly url: string;
  /** Kills the primary without a warning. Nothing else happens until `promote`. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary, as an operator or a tool such as Patroni does. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Returns null if a program is not installed; with CI=true, throws instead. If the standby is `synchronous`, a commit
 * ends when both servers have it on disk. `standbySettings` are lines of its postgresql.conf.
 */
export async function startPostgresPair({
  synchronous = true,
  standbySettings = '',
} = {}): Promise<PostgresPair | null> {
  const hasProxy = (await Array.fromAsync(glob(HAPROXY))).length > 0;
  if (!hasProxy && process.env.CI === 'true') throw new Error('install haproxy');
  const work = await makeFolder();
  const programs = hasProxy ? await findPostgres(work.path) : null;
  if (programs === null) {
    await work.remove();
    return null;
  }
  let proxy: ChildProcess | undefined;
  const stop = async () => {
    await programs.stopAll();
    if (proxy !== undefined) await killProcess(proxy);
    await work.remove();
  };
  try {
    const [first, second, port] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const folders = { primary: join(work.path, 'primary'), standby: join(work.path, 'standby') };
    await programs.create(folders.primary);
    const primary = await programs.start(folders.primary, first);
    await query(first, `create database ${USER}`);
    const source = `host=127.0.0.1 port=${first} user=${USER} application_name=standby`;
    await programs.run('pg_basebackup', [
      '-d',
      source,
      '-D',
      folders.standby,
      '--checkpoint',
      'fast',
      '-R',
      '--no-sync',
    ]);
    await appendFile(
      join(folders.standby, 'postgresql.auto.conf'),
      `primary_conninfo = '${source}'\n${standbySettings}\n`,
    );
    const standby = await programs.start(folders.standby, second);
    if (synchronous) await makeSynchronous(first);
    proxy = await startProxy(work.path, port, [first, second]);
    // HAProxy uses both until it has checked them.
    await until(() => alwaysWritable(port));
    return {
      primary,
      standby,
      url: `postgresql://${USER}@127.0.0.1:${port}/${USER}`,
      killPrimary: () => primary.kill(),
      async promote() {
        await standby.query('select pg_promote()');
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** From now on, a commit ends when both servers have it on disk. */
async function makeSynchronous(primary: number): Promise<void> {
  await query(primary, "alter system set synchronous_standby_names = 'standby'");
  await query(primary, 'select pg_reload_conf()');
  await until(async () => {
    const { rows } = await query(primary, 'select sync_state from pg_stat_replication');
    return rows[0]?.sync_state === 'sync';
  });
}

/**
 * HAProxy asks each server whether it is in recovery, in PostgreSQL's protocol (its manual, "Message Formats"), and
 * cuts the connections to one that no longer accepts writes.
 */
async function startProxy(folder: string, port: number, servers: readonly number[]): Promise<ChildProcess> {
  const config = join(folder, 'haproxy.cfg');
  const parameters = Buffer.from(`user\0${USER}\0database\0postgres\0\0`);
  const startUp = Buffer.concat([Buffer.from([0, 0, 0, parameters.length + 8, 0, 3, 0, 0]), parameters]);
  const text = Buffer.from('select pg_is_in_recovery()\0');
  const question = Buffer.concat([Buffer.from([0x51, 0, 0, 0, text.length + 4]), text]);
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 2s',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option tcp-check',
    '  tcp-check connect',
    `  tcp-check send-binary ${startUp.toString('hex')}`,
    // Ready for a query.
    '  tcp-check expect binary 5a0000000549',
    `  tcp-check send-binary ${question.toString('hex')}`,
    // A row with one column, "f".
    '  tcp-check expect binary 440000000b00010000000166',
    '  tcp-check send-binary 5800000004',
    '  default-server check inter 500ms rise 1 fall 1 on-marked-down shutdown-sessions',
    ...servers.map((server, no) => `  server postgres${no + 1} 127.0.0.1:${server}`),
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(config, `${lines.join('\n')}\n`);
  return spawn(HAPROXY, ['-db', '-f', config], { stdio: 'ignore' });
}

/** Whether several connections in a row, which HAProxy spreads over its servers, reach a primary. */
async function alwaysWritable(port: number): Promise<boolean> {
  for (let count = 0; count < 4; count += 1) {
    const result = await query(port, 'select pg_is_in_recovery() as is_standby').catch(() => undefined);
    if (result?.rows[0]?.is_standby !== false) return false;
  }
  return true;
}
