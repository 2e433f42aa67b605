// PostgreSQL servers for tests that kill them, with the programs that Debian installs.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from '../../packages/server/test/setup/until.ts';

const exec = promisify(execFile);

/** The superuser, and the name of the database. */
export const USER = 'chauffeur';

export type PostgresServer = {
  /** The URL of the database. */
  readonly url: string;
  readonly port: number;
  /** Runs a statement in the database. */
  query<Row>(text: string): Promise<Row[]>;
  /** Kills it without a warning. */
  kill(): Promise<void>;
  /** Whether it has ended, by itself or by `kill`. */
  hasEnded(): boolean;
  /** Starts it again after it has ended. */
  restart(): Promise<void>;
};

export type PostgresPrograms = {
  /** Creates the folder of a server; `settings` are lines of its postgresql.conf. */
  create(folder: string, settings?: string): Promise<void>;
  start(folder: string, port: number): Promise<PostgresServer>;
  /** Runs a program such as pg_basebackup. */
  run(program: string, args: string[]): Promise<unknown>;
  /** Kills all servers. */
  stopAll(): Promise<void>;
};

type Account = { readonly uid: number; readonly gid: number };

/**
 * The newest programs. `work` gets their sockets, and belongs to their account afterwards. Returns null if none are
 * installed; with CI=true, throws instead.
 */
export async function findPostgres(work: string): Promise<PostgresPrograms | null> {
  const [programs] = (await Array.fromAsync(glob('/usr/lib/postgresql/*/bin'))).sort().reverse();
  if (programs === undefined) {
    if (process.env.CI === 'true') throw new Error('install postgresql');
    return null;
  }
  const account = await findAccount();
  if (account.uid !== undefined) await chown(work, account.uid, account.gid ?? -1);
  const started: ChildProcess[] = [];
  const run = (program: string, args: string[]) => exec(join(programs, program), args, { ...account, cwd: work });
  const launch = async (folder: string, port: number): Promise<ChildProcess> => {
    const args = ['-D', folder, '-p', String(port), '-k', work];
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
  return {
    run,
    async create(folder, settings = '') {
      if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? -1).catch(() => undefined);
      await run('initdb', ['-D', folder, '-A', 'trust', '-U', USER, '-E', 'UTF8', '--no-locale', '--no-sync']);
      const lines = `listen_addresses = '127.0.0.1'\nmax_connections = 200\n${settings}\n`;
      await appendFile(join(folder, 'postgresql.conf'), lines);
    },
    async start(folder, port) {
      let child = await launch(folder, port);
      return {
        url: `postgresql://${USER}@127.0.0.1:${port}/${USER}`,
        port,
        query: async (text) => (await query(port, text, USER)).rows,
        kill: () => killProcess(child),
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        async restart() {
          // It only starts when all its earlier processes have ended.
          child = await until(() => launch(folder, port).catch(() => null));
        },
      };
    },
    async stopAll() {
      await Promise.all(started.map(killProcess));
    },
  };
}

/** PostgreSQL refuses to run as root. */
async function findAccount(): Promise<Partial<Account>> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (option: string) => Number((await exec('id', [option, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

async function canConnect(port: number): Promise<boolean> {
  return query(port, 'select').then(
    () => true,
    () => false,
  );
}

/** Runs a statement with a separate connection. */
export async function query(port: number, text: string, database = 'postgres'): Promise<pg.QueryResult> {
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
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
