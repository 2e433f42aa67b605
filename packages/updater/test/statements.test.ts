// Statements on what a channel offers: only a right and new one counts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { install, readInstalled, update } from '../src/updater.ts';
import { makeFolder, read } from './setup/folders.ts';
import { Origin } from './setup/origin.ts';

/** A game of which version 1 is installed, from a server that states what it offers with the serial 10. */
async function installed(t: TestContext) {
  const origin = await new Origin().start();
  t.after(() => origin.stop());
  const folder = join(makeFolder(t), 'game');
  const first = origin.release({ 'a.pak': 'one' });
  await install({ folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
  origin.serial = 10;
  await update({ folder });
  const second = origin.release({ 'a.pak': 'two' });
  return { origin, folder, first, second };
}

const version = async (folder: string) => (await readInstalled({ folder }))?.install.build?.fileUid;

test('an older offer is not replayed, and a rollback works', async (t) => {
  const { origin, folder, first, second } = await installed(t);
  origin.serial = 11;
  await update({ folder });
  assert.equal(await version(folder), second.fileUid);
  // What the server offered before, as it was signed.
  origin.serial = 10;
  origin.offered = first;
  await assert.rejects(update({ folder }), { code: 'untrusted', message: /replaced already/ });
  assert.equal(await version(folder), second.fileUid);
  origin.serial = 12;
  await update({ folder });
  assert.equal(await version(folder), first.fileUid);
  assert.deepEqual(read(folder), { 'a.pak': 'one' });
});

test('statements that say something else, or that are missing, are refused', async (t) => {
  const { origin, folder, first } = await installed(t);
  origin.serial = 11;
  const other = '01890000-0000-7000-8000-000000000000';
  for (const misstated of [
    ...[{ game: other }, { channel: 'beta' }, { os: 'windows' }, { arch: 'arm64' }, { build: other }, { file: other }],
    ...[{ size: 1 }, { zip: 'a'.repeat(64) }, { serial: '12' }, { serial: -1 }, { serial: 1.5 }, { serial: null }],
    ...[{ manifest: 'b'.repeat(64) }, { manifest: 1 }],
  ]) {
    origin.misstated = misstated;
    await assert.rejects(update({ folder }), { code: 'untrusted' }, JSON.stringify(misstated));
    assert.equal(await version(folder), first.fileUid);
  }
  origin.misstated = {};
  origin.serial = null;
  await assert.rejects(update({ folder }), { code: 'untrusted', message: /no longer signs/ });
  origin.serial = 11;
  origin.rotate(false);
  await assert.rejects(update({ folder }), { code: 'untrusted', message: /another key/ });
  assert.equal(await version(folder), first.fileUid);
});

test('a server that lost the installed build in a restore still updates it', async (t) => {
  const { origin, folder, second } = await installed(t);
  origin.serial = 11;
  origin.hook = (request, response) => {
    if (request.url?.includes('build_id=') !== true) return false;
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, error: { code: 4006, message: 'This game has no such build.' } }));
    return true;
  };
  await update({ folder });
  assert.equal(await version(folder), second.fileUid);
});

test('a first installation is what the server signed', async (t) => {
  const origin = await new Origin().start();
  t.after(() => origin.stop());
  const folder = join(makeFolder(t), 'game');
  const { fileUid } = origin.release({ 'a.pak': 'one' });
  origin.serial = 10;
  const options = { folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } } as const;
  origin.misstated = { zip: 'a'.repeat(64) };
  await assert.rejects(install(options), { code: 'untrusted' });
  origin.misstated = {};
  await install(options);
  assert.equal(await version(folder), fileUid);
  origin.serial = 9;
  origin.release({ 'a.pak': 'two' });
  await assert.rejects(update({ folder }), { code: 'untrusted', message: /replaced already/ });
});

test('a rollback to a file without a list of files is believed if the server signed it', async (t) => {
  const { origin, folder, first } = await installed(t);
  origin.serial = 11;
  await update({ folder });
  first.packed = null;
  origin.offered = first;
  origin.serial = 12;
  await assert.rejects(update({ folder }), { code: 'untrusted', message: /no signed list/ });
  origin.misstated = { manifest: null };
  await update({ folder });
  assert.equal(await version(folder), first.fileUid);
  assert.deepEqual(read(folder), { 'a.pak': 'one' });
});
