// The embedded PostgreSQL when signals or crashes hit it at the worst moments.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/kernel/postgres/embedded-postgres.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { until } from './setup/until.ts';

describe('an embedded PostgreSQL', () => {
  let dataFolder: string;
  let lockFile: string;
  let logged: string;
  let postgres: EmbeddedPostgres | undefined;
  const log = createLog('info', {
    write(line) {
      logged += line;
    },
  });
  before(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'chauffeur-test-'));
    // As root, PostgreSQL runs under another account, which needs access.
    await chmod(dataFolder, 0o755);
    lockFile = join(dataFolder, 'postgres', 'postmaster.pid');
  });
  beforeEach(() => {
    logged = '';
  });
  after(async () => {
    await postgres?.stop();
    await rm(dataFolder, { recursive: true, force: true });
  });

  async function start(): Promise<EmbeddedPostgres> {
    postgres = await startEmbeddedPostgres(dataFolder, log);
    return postgres;
  }

  async function serverPid(): Promise<number | undefined> {
    const text = await readFile(lockFile, 'utf8').catch(() => '');
    return text === '' ? undefined : Number.parseInt(text, 10);
  }

  async function untilLogged(text: string): Promise<void> {
    await until(async () => {
      await setImmediate();
      return logged.includes(text);
    });
  }

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  test('stops even if the stopping process still has open sessions', async () => {
    const { url, stop } = await start();
    const client = await connect(url);
    await stop();
    assert.equal(await serverPid(), undefined);
    await client.end();
  });

  test('keeps running while another process uses it', async () => {
    const { url, stop } = await start();
    const other = await startEmbeddedPostgres(dataFolder, log);
    const client = await connect(other.url);
    await stop();
    assert.match(logged, /leaving the embedded PostgreSQL running/);
    assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }]);
    await client.end();
    await other.stop();
    assert.equal(await serverPid(), undefined);
    assert.notEqual(other.url, url);
  });

  test('is restarted after an external shutdown request that waits for our sessions', async () => {
    const { url, stop } = await start();
    const client = await connect(url);
    const ended = Promise.withResolvers<void>();
    client.on('end', ended.resolve);
    const pid = await serverPid();
    process.kill(pid as number, 'SIGTERM');
    await ended.promise;
    await untilLogged('restarting it');
    const again = await until(() => connect(url).catch(() => undefined));
    assert.notEqual(await serverPid(), pid);
    await again.end();
    await stop();
  });

  test('leaves nothing running when it is stopped during a restart', async () => {
    const { stop } = await start();
    process.kill((await serverPid()) as number, 'SIGKILL');
    await untilLogged('restarting it');
    await stop();
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args=']);
    assert.ok(!stdout.includes(dataFolder), stdout);
  });

  test('never stops another program that has reused the process id of a killed server', async () => {
    const { stop } = await start();
    const pid = await serverPid();
    const otherProcess = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(otherProcess, 'spawn');
    process.kill(pid as number, 'SIGKILL');
    await writeFile(lockFile, `${otherProcess.pid}\n`);
    await stop();
    assert.deepEqual([otherProcess.exitCode, otherProcess.signalCode], [null, null]);
    await (await start()).stop();
    otherProcess.kill();
    assert.equal((await once(otherProcess, 'exit'))[1], 'SIGTERM');
  });
});
