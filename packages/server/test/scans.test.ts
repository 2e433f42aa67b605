// Scans on the real server with a real clamd: every state, what players see of each, and an unavailable scanner.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DAY } from '../src/kernel/clock.ts';
import { forgetRejectedFiles } from '../src/ship/files/files.ts';
import { EICAR, EICAR_SIGNATURE, NO_CLAMD, type RunningClamd, startClamd } from './setup/clamd.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { ship, smallZip, untilScanned } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

describe('scans with clamd', () => {
  let clamd: RunningClamd | null;
  let server: TestServer;
  let game: TestGame;
  let now = new Date();
  before(async () => {
    clamd = await startClamd();
    server = await startServer({
      env: clamd === null ? {} : { CHAUFFEUR_CLAMD: clamd.address },
      clock: { now: () => now },
    });
    game = await makeGame(server);
  });
  after(async () => {
    await server.stop();
    await clamd?.stop();
  });

  async function offered(): Promise<string[]> {
    const { body } = await request(`${server.api}/public/games/${game.uid}`);
    return body.data.downloads.map((offer: { version: string }) => offer.version);
  }

  async function provenance(fileUid: string) {
    const { body } = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/provenance`, {
      headers: game.keyHeaders,
    });
    return body.data;
  }

  async function rejected() {
    const { body } = await request(`${server.api}/games/${game.uid}/rejected-uploads`, {
      headers: await signIn(server, game.owner),
    });
    return body.data.files as { file_uid: string; status: string; detail: string }[];
  }

  async function blobs(): Promise<string[]> {
    return readdir(join(server.dataFolder, 'blobs', 'files', game.uid));
  }

  test('a clean file names the engine and signatures that passed it, and goes live', async (t) => {
    if (clamd === null) return t.skip(NO_CLAMD);
    const { fileUid } = await ship(server, game, { version: 'clean' });
    const file = await untilScanned(server, game, fileUid);
    assert.deepEqual([file.status, file.message], ['clean', 'Scanned clean with ClamAV']);
    const { scan } = await provenance(fileUid);
    assert.deepEqual(
      scan.history.map((event: { state: string }) => event.state),
      ['pending', 'scanning', 'clean'],
    );
    assert.match(scan.history[2].engine, /^ClamAV \d/);
    assert.deepEqual(await offered(), ['clean']);
  });

  test('an infected file is removed, moves no channel, and is listed as rejected for 30 days', async (t) => {
    if (clamd === null) return t.skip(NO_CLAMD);
    const { buildId, fileUid } = await ship(server, game, { version: 'infected' }, smallZip('setup.exe', EICAR));
    const file = await untilScanned(server, game, fileUid);
    assert.equal(file.status, 'infected');
    assert.match(file.detail ?? '', new RegExp(EICAR_SIGNATURE.replace('.', '\\.')));
    await until(async () => !(await blobs()).some((name) => name.startsWith(fileUid)));
    assert.deepEqual(await offered(), ['clean']);
    const download = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/download`, {
      headers: game.keyHeaders,
    });
    assert.deepEqual([download.status, download.body.error?.code], [409, 4099]);
    const { body } = await request(`${server.api}/tool/builds?version=infected`, { headers: game.keyHeaders });
    assert.deepEqual([body.data.builds[0].build_id, body.data.builds[0].state], [buildId, 'rejected']);
    assert.deepEqual(
      (await rejected()).map((entry) => entry.file_uid),
      [fileUid],
    );
    now = new Date(now.getTime() + 31 * DAY);
    assert.deepEqual(await rejected(), []);
    await forgetRejectedFiles(server.ctx);
    assert.equal((await request(`${server.api}/tool/files/${fileUid}`, { headers: game.keyHeaders })).status, 404);
  });

  test('a zip whose content does not match its checksum ends in error with the reason', async () => {
    const zip = smallZip('broken.txt', Buffer.from('the content as it was'));
    zip[zip.indexOf('content')] = 0x58;
    const { fileUid } = await ship(server, game, { version: 'broken' }, zip);
    const file = await untilScanned(server, game, fileUid);
    assert.equal(file.status, 'error');
    assert.match(file.detail ?? '', /broken\.txt/);
    await until(async () => !(await blobs()).some((name) => name.startsWith(fileUid)));
    assert.deepEqual((await provenance(fileUid)).scan.state, 'error');
  });

  test("a zip with circular links ends in error, by the name rules of the build's OS", async () => {
    const link = (name: string, data: string) => ({ name, data, mode: 0o120777 });
    const circle = buildZip([{ name: 'a', data: 'a' }, link('b', 'c'), link('c', 'b')]);
    const { fileUid } = await ship(server, game, { version: 'circle' }, circle);
    const file = await untilScanned(server, game, fileUid);
    assert.equal(file.status, 'error');
    assert.match(file.detail ?? '', /“b” leads back to itself/);
    const byCase = buildZip([{ name: 'a', data: 'a' }, link('Game', 'data/game'), link('data/game', '../GAME')]);
    for (const [os, expected] of [
      ['linux', /^(clean|unscanned)$/],
      ['macos', /^error$/],
    ] as const) {
      const shipped = await ship(server, game, { version: 'circle by case', os }, byCase);
      assert.match((await untilScanned(server, game, shipped.fileUid)).status, expected);
    }
  });

  test('a file stays queued while the scanner is unavailable and is scanned afterwards', async (t) => {
    if (clamd === null) return t.skip(NO_CLAMD);
    const address = server.ctx.config.clamd as string;
    server.ctx.config.clamd = `${address}-away`;
    const { fileUid } = await ship(server, game, { version: 'patient' });
    await until(async () =>
      (await provenance(fileUid)).scan.history.some((event: { detail: string | null }) =>
        /could not be reached/.test(event.detail ?? ''),
      ),
    );
    assert.equal((await provenance(fileUid)).scan.state, 'pending');
    server.ctx.config.clamd = address;
    assert.equal((await untilScanned(server, game, fileUid)).status, 'clean');
  });
});
