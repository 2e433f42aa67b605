// The embedded PostgreSQL dies under the service: it is started again, and everything goes on.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeFolder, runCommand, runServerCommand, type Service, startService } from './setup/processes.ts';
import { openStudio, readOffers, type Studio } from './setup/studio.ts';

describe('a database that dies', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: Service;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    service = await startService(join(work.path, 'data'));
    studio = await openStudio(service);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  async function databasePid(): Promise<number> {
    return Number((await readFile(join(service.dataFolder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  }

  async function untilReady(): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) if ((await fetch(`${service.url}/ready`)).ok) return;
    throw new Error(service.output());
  }

  test('costs 503 for a moment; then uploads and jobs go on in the same process', async () => {
    process.kill(await databasePid(), 'SIGKILL');
    let answer = await fetch(`${service.api}/public/games/${studio.slug}`);
    while (answer.ok) answer = await fetch(`${service.api}/public/games/${studio.slug}`);
    const body = (await answer.json()) as { error: { code: number } };
    assert.deepEqual([answer.status, body.error.code], [503, 5030]);
    assert.ok(answer.headers.has('retry-after'));
    await untilReady();
    const platform = ['--os', 'web', '--arch', 'wasm'];
    for (const args of [
      ['genbuild', '--version', '1.0.0'],
      ['build', '--asset', 'build.yml', ...platform],
      [
        'setfiles',
        '--version',
        '1.0.0',
        ...platform,
        '--files',
        join(import.meta.dirname, '..', 'examples', 'tiny-game'),
      ],
      ['addfiles', '--asset', 'addfiles.yml', '--wait'],
    ]) {
      const { code, stderr } = await runCommand(args, { environment: studio.environment, folder: work.path });
      assert.equal(code, 0, stderr);
    }
    assert.equal((await readOffers(service, studio.slug)).length, 1);
  });

  test('a second start on the same folder says that the port is taken, and leaves the first alone', async () => {
    const { code, stderr } = await runServerCommand(service, ['start']);
    assert.equal(code, 1);
    assert.match(stderr, /is in use: stop what listens there, or set CHAUFFEUR_PORT/);
    await untilReady();
  });
});
