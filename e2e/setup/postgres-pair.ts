// A PostgreSQL with a streaming standby behind HAProxy, which sends connections to the server that accepts writes.
// All run the programs that Debian installs.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, glob, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort, makeFolder } from './processes.ts';
import { until } from './until.ts';

const exec = promisify(execFile);

/** The reason to skip a test if `startPostgresPair` returns null. */
export const NO_PAIR = 'skipped: PostgreSQL or HAProxy not found';

const USER = 'chauffeur';
const HAPROXY = '/usr/sbin/haproxy';

/** One of the two servers, without HAProxy. */
type PostgresServer = {
  /** Of the database. */
  readonly url: string;
  /** Runs a statement in the database. */
  query<Row>(text: string): Promise<Row[]>;
  /** Kills it without a warning. */
  kill(): Promise<void>;
  /** Starts it after `kill`. */
  restart(): Promise<void>;
};

export type PostgresPair = {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Of the database, by way of HAProxy. */
  readonly url: string;
  /** Kills the primary without a warning. Nothing else happens until `promote`. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary, as an operator or a tool such as Patroni does. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

type Account = { readonly uid: number; readonly gid: number };

/**
 * Returns null if a program is not installed; with CI=true, throws instead. If the standby is `synchronous`, a commit
 * ends when both servers have it on disk. `standbySettings` are lines of its postgresql.conf.
 */
export async function startPostgresPair({
  synchronous = true,
  standbySettings = '',
} = {}): Promise<PostgresPair | null> {
  const [programs] = (await Array.fromAsync(glob('/usr/lib/postgresql/*/bin'))).sort().reverse();
  const hasProxy = (await Array.fromAsync(glob(HAPROXY))).length > 0;
  if (programs === undefined || !hasProxy) {
    if (process.env.CI === 'true') throw new Error('install postgresql and haproxy');
    return null;
  }
  const work = await makeFolder();
  const account = await findAccount();
  const started: ChildProcess[] = [];
  const run = (program: string, args: string[]) => exec(join(programs, program), args, { ...account, cwd: work.path });
  const start = async (folder: string, port: number): Promise<ChildProcess> => {
    const args = ['-D', folder, '-p', String(port), '-k', work.path];
    const child = spawn(join(programs, 'postgres'), args, { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
    started.push(child);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (lines: string) => {
      output += lines;
    });
    const fault = () => `PostgreSQL did not start:\n${output}`;
    await until(async () => child.exitCode !== null || (await canConnect(port)), fault);
    if (child.exitCode !== null) throw new Error(fault());
    return child;
  };
  const serverOf = async (folder: string, port: number): Promise<PostgresServer> => {
    let child = await start(folder, port);
    return {
      url: `postgresql://${USER}@127.0.0.1:${port}/${USER}`,
      query: async (text) => (await query(port, text, USER)).rows,
      kill: () => kill(child),
      async restart() {
        // It only starts when all its earlier processes have ended.
        child = await until(() => start(folder, port).catch(() => null));
      },
    };
  };
  try {
    if (account.uid !== undefined) await chown(work.path, account.uid, account.gid ?? -1);
    const [first, second, port] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const folders = { primary: join(work.path, 'primary'), standby: join(work.path, 'standby') };
    await run('initdb', ['-D', folders.primary, '-A', 'trust', '-U', USER, '-E', 'UTF8', '--no-locale', '--no-sync']);
    await appendFile(
      join(folders.primary, 'postgresql.conf'),
      "listen_addresses = '127.0.0.1'\nmax_connections = 200\n",
    );
    const primary = await serverOf(folders.primary, first);
    await query(first, `create database ${USER}`);
    const source = `host=127.0.0.1 port=${first} user=${USER} application_name=standby`;
    await run('pg_basebackup', ['-d', source, '-D', folders.standby, '--checkpoint', 'fast', '-R', '--no-sync']);
    await appendFile(
      join(folders.standby, 'postgresql.auto.conf'),
      `primary_conninfo = '${source}'\n${standbySettings}\n`,
    );
    const standby = await serverOf(folders.standby, second);
    if (synchronous) await makeSynchronous(first);
    started.push(await startProxy(work.path, port, [first, second]));
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
      async stop() {
        await Promise.all(started.map(kill));
        await work.remove();
      },
    };
  } catch (error) {
    await Promise.all(started.map(kill));
    await work.remove();
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

/** PostgreSQL refuses to run as root. */
async function findAccount(): Promise<Partial<Account>> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (option: string) => Number((await exec('id', [option, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
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

async function canConnect(port: number): Promise<boolean> {
  return query(port, 'select').then(
    () => true,
    () => false,
  );
}

/** Whether several connections in a row, which HAProxy spreads over its servers, reach a primary. */
async function alwaysWritable(port: number): Promise<boolean> {
  for (let count = 0; count < 4; count += 1) {
    const result = await query(port, 'select pg_is_in_recovery() as is_standby').catch(() => undefined);
    if (result?.rows[0]?.is_standby !== false) return false;
  }
  return true;
}

async function query(port: number, text: string, database = 'postgres'): Promise<pg.QueryResult> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: USER,
    database,
    connectionTimeoutMillis: 5000,
  });
  // A server that is killed ends the connection as well as the query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

/** The processes of a killed PostgreSQL end by themselves. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
