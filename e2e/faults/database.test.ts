// Kills the embedded PostgreSQL while the server runs or stops: no accepted upload is lost, and nothing hangs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runServerCommand } from '../../packages/server/test/setup/server-command.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { sendChunk, sha256, startSession, zipOfSize } from '../../packages/server/test/setup/uploads.ts';
import { runCommand } from '../setup/processes.ts';
import { serveStudio } from '../setup/served.ts';
import { readOffers } from '../setup/studio.ts';
import { downloadSum, sendHalfChunk, sendHalfUpload, untilOffered, untilUnderWay } from '../setup/uploads.ts';

const MIB = 1024 * 1024;

describe('a killed database', () => {
  const served = serveStudio({ ownPostgres: true });

  async function databasePid(): Promise<number> {
    const { pid } = (await served.database()) ?? assert.fail('no database runs');
    return pid;
  }

  async function untilReady(): Promise<void> {
    await until(async () => (await fetch(`${served.service.url}/ready`)).ok, served.service.output);
  }

  test('causes 503 for a moment; then uploads and jobs continue in the same process', async () => {
    const { service, studio } = served;
    process.kill(await databasePid(), 'SIGKILL');
    let response = await fetch(`${service.api}/public/games/${studio.slug}`);
    while (response.ok) response = await fetch(`${service.api}/public/games/${studio.slug}`);
    const body = (await response.json()) as { error: { code: number } };
    assert.deepEqual([response.status, body.error.code], [503, 5030]);
    assert.ok(response.headers.has('retry-after'));
    await untilReady();
    const platform = ['--os', 'web', '--arch', 'wasm'];
    const game = join(import.meta.dirname, '../..', 'examples', 'tiny-game');
    for (const args of [
      ['genbuild', '--version', '1.0.0'],
      ['build', '--asset', 'build.yml', ...platform],
      ['setfiles', '--version', '1.0.0', ...platform, '--files', game],
      ['addfiles', '--asset', 'addfiles.yml', '--wait'],
    ]) {
      const { code, stderr } = await runCommand(args, { environment: studio.environment, folder: served.folder });
      assert.equal(code, 0, stderr);
    }
    assert.equal((await readOffers(service, studio.slug)).length, 1);
  });

  test('a second start with the same folder reports that the port is in use, and does not affect the first', async () => {
    const { code, stderr } = await runServerCommand(served.service.environment, ['start']);
    assert.equal(code, 1);
    assert.match(stderr, /is in use. Stop the program that uses it, or set CHAUFFEUR_PORT/);
    await untilReady();
  });

  /** Stops the server and sends a signal to the database, in the given order. Expects an orderly shutdown. */
  async function stopBoth(signal: NodeJS.Signals, first: 'service' | 'database'): Promise<void> {
    const { service } = served;
    const pid = await databasePid();
    if (first === 'database') process.kill(pid, signal);
    const stopped = service.stop();
    if (first === 'service') process.kill(pid, signal);
    assert.equal(await stopped, 0, service.output());
    assert.match(service.output(), /"msg":"stopped"/);
  }

  /** Waits until a new database process, with another pid, is ready. */
  async function untilDatabaseAfter(pid: number): Promise<void> {
    await until(async () => {
      const database = await served.database();
      return database !== undefined && database.pid !== pid && database.ready;
    }, served.service.output);
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    for (const first of ['service', 'database'] as const) {
      test(`by ${signal} during a shutdown, with the ${first} first, does not delay the shutdown`, async () => {
        await stopBoth(signal, first);
        await served.restart();
        const [offer] = await readOffers(served.service, served.studio.slug);
        assert.equal(await downloadSum(offer?.download_url ?? ''), offer?.file.checksum);
      });
    }
  }

  test('during a shutdown fails the current chunk with 503, and its session continues after the restart', async () => {
    const zip = zipOfSize(2 * MIB);
    const session = await startSession(served.service, served.studio, zip, {}, { version: 'chunk' });
    const sendRest = await sendHalfChunk(served, session, zip, 0, zip.length);
    await untilUnderWay(served);
    const stopped = stopBoth('SIGINT', 'database');
    const refused = await sendRest();
    assert.deepEqual([refused.status, refused.body.error?.code], [503, 5030]);
    await stopped;
    await served.restart();
    assert.equal((await sendChunk(served.service, served.studio, session, zip, 0, zip.length)).status, 201);
    assert.equal(await downloadSum(await untilOffered(served, 'chunk')), sha256(zip));
  });

  test('during a shutdown is started again for the current upload, and stops after it', async () => {
    const zip = zipOfSize(2 * MIB);
    const sendRest = await sendHalfUpload(served, 'upload', zip);
    const before = await databasePid();
    const stopped = stopBoth('SIGINT', 'database');
    await untilDatabaseAfter(before);
    assert.equal((await sendRest()).status, 201);
    await stopped;
    assert.equal(await served.database(), undefined);
    await served.restart();
    assert.equal(await downloadSum(await untilOffered(served, 'upload')), sha256(zip));
  });
});
