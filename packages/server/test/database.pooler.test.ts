// A real PgBouncer between the server and PostgreSQL.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { refuseTransactionPooling } from '../src/kernel/database/pooler.ts';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { findFreePort } from './setup/free-port.ts';
import { runServerCommand } from './setup/server-command.ts';
import { until } from './setup/until.ts';

const PROGRAM = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => existsSync(path));
if (PROGRAM === undefined && process.env.CI === 'true') throw new Error('pgbouncer not found; install it');
const skip = PROGRAM === undefined ? 'skipped: pgbouncer not found' : false;

type Bouncer = { readonly url: string; stop(): Promise<void> };

/** Starts PgBouncer in front of the PostgreSQL of the tests. */
async function startBouncer(database: TestDatabase, mode: 'session' | 'transaction'): Promise<Bouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-bouncer-'));
  // PgBouncer refuses to run as root.
  await chmod(folder, 0o777);
  const { host, port, user } = new pg.Client({ connectionString: database.url });
  const ownPort = await findFreePort();
  const settings = [
    '[databases]',
    `* = host=${host} port=${port} user=${user}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'ignore_startup_parameters = extra_float_digits',
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const program = spawn(PROGRAM!, [...account, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  const ended = once(program, 'exit');
  const url = database.url.replace(/^(\w+:\/\/)[^/]*\/([^?]*).*$/, `$1${user}@127.0.0.1:${ownPort}/$2`);
  await until(() => canConnect(url));
  return {
    url,
    async stop() {
      program.kill('SIGTERM');
      program.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

describe('a pooler', { skip }, () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase({ empty: true });
  });
  after(() => database.drop());

  test('that pools transactions is refused at start, with the remedy', async () => {
    const bouncer = await startBouncer(database, 'transaction');
    try {
      const { code, stderr } = await runServerCommand({ DATABASE_URL: bouncer.url, CHAUFFEUR_PORT: '0' }, ['worker']);
      assert.equal(code, 1);
      assert.match(stderr, /pools transactions.*Set pool_mode = session/);
      assert.doesNotMatch(stderr, /\n\s+at /);
    } finally {
      await bouncer.stop();
    }
  });

  test('that pools sessions is accepted, and so is PostgreSQL itself', async () => {
    const bouncer = await startBouncer(database, 'session');
    try {
      await refuseTransactionPooling(bouncer.url);
      await refuseTransactionPooling(database.url);
    } finally {
      await bouncer.stop();
    }
  });
});
