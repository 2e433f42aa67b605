// Players install and update a game with the real command from the real server: builds that `chauffeur push` sent, builds
// that `zip` made, and channels that not everyone sees.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFreePort } from '../packages/server/test/setup/free-port.ts';
import { makeGame, request } from '../packages/server/test/setup/server.ts';
import { until } from '../packages/server/test/setup/until.ts';
import { shipAndScan } from '../packages/server/test/setup/uploads.ts';
import { noise, read, write } from '../packages/updater/test/setup/folders.ts';
import { serveCommandGame } from './setup/command-game.ts';
import type { Result } from './setup/processes.ts';

const site = serveCommandGame();

async function chauffeur(...args: string[]): Promise<Result & { json: Record<string, unknown> }> {
  const result = await site.run(args);
  const json = args.includes('--json') ? JSON.parse(result.stdout) : {};
  return { ...result, json };
}

async function succeed(...args: string[]): Promise<Record<string, unknown>> {
  const { code, json, stdout, stderr } = await chauffeur(...args);
  assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return json;
}

/** How often a version was downloaded. */
async function downloadsOf(version: string): Promise<number | undefined> {
  const { body } = await request(`${site.server.api}/tool/builds`, { headers: site.game.keyHeaders });
  return body.data.builds.find((build: { version: string }) => build.version === version)?.downloads;
}

const push = (folder: string, version: string, ...more: string[]) =>
  succeed('push', folder, '--version', version, '--os', 'linux', '--arch', 'x86_64', '--json', ...more);

test('a pushed game is installed, started, updated, repaired and removed', async () => {
  const source = site.pathOf('dist');
  const play = '#!/bin/sh\necho "playing $1 as $CHAUFFEUR_DEVICE_UID"\n';
  write(source, 'play.sh', play);
  chmodSync(join(source, 'play.sh'), 0o755);
  write(source, 'world.pak', noise(3_000_000, 1));
  write(source, 'text/story.txt', 'Once upon a time. '.repeat(20_000));
  await push(source, '1.0', '--channel', 'stable');
  const folder = site.pathOf('installed');
  const address = `${site.server.url}/g/${site.game.slug}`;
  const first = await succeed('install', address, folder, '--os', 'linux', '--arch', 'x86_64', '--json');
  assert.equal(first.from, null);
  assert.deepEqual((first.to as { version: string }).version, '1.0');
  assert.deepEqual(read(folder), read(source));
  assert.ok((await succeed('verify', folder, '--json')).ok);
  await until(async () => (await downloadsOf('1.0')) === 1);

  const launched = await chauffeur('launch', folder, '--', 'owls');
  assert.match(launched.stdout, /^playing owls as [0-9a-f-]{36}$/m, launched.stderr);

  appendFileSync(join(source, 'text/story.txt'), 'The end.');
  await push(source, '1.1', '--channel', 'stable', '--changelog', 'An end: Finally.');
  const second = await succeed('update', folder, '--json');
  assert.equal((second.from as { version: string }).version, '1.0');
  assert.equal((second.to as { version: string }).version, '1.1');
  assert.ok(Number(second.downloaded_bytes) < 500_000, String(second.downloaded_bytes));
  assert.ok(Number(second.reused_bytes) > 3_000_000);
  assert.deepEqual(read(folder), read(source));
  assert.match((await chauffeur('update', folder)).stdout, /is up to date/);

  write(folder, 'world.pak', 'mine');
  const verified = await chauffeur('verify', folder, '--json');
  assert.equal(verified.code, 1);
  assert.deepEqual(verified.json.changed, ['world.pak']);
  await succeed('repair', folder, '--json');
  assert.deepEqual(read(folder), read(source));
  assert.deepEqual((await succeed('uninstall', folder, '--json')).kept, ['.chauffeur/replaced']);
  assert.deepEqual(read(folder), {});
});

test('zips of other programs are updated too', async (t) => {
  const other = await makeGame(site.server);
  const folder = site.pathOf('zipped');
  const source = site.pathOf('source');
  mkdirSync(source);
  const zip = (): Buffer => {
    rmSync(site.pathOf('game.zip'), { force: true });
    execFileSync('zip', ['-qr', '../game.zip', '.'], { cwd: source });
    return readFileSync(site.pathOf('game.zip'));
  };
  write(source, 'bin/game', noise(200_000, 3));
  write(source, 'data/a.txt', 'abc '.repeat(50_000));
  try {
    zip();
  } catch {
    return t.skip('skipped: zip not found');
  }
  await shipAndScan(site.server, other, { version: '1' }, zip());
  const address = `${site.server.url}/g/${other.slug}`;
  await succeed('install', address, folder, '--os', 'linux', '--arch', 'x86_64', '--json');
  assert.deepEqual(read(folder), read(source));
  write(source, 'data/a.txt', 'abd '.repeat(50_000));
  await shipAndScan(site.server, other, { version: '2' }, zip());
  const { downloaded_bytes } = await succeed('update', folder, '--json');
  assert.deepEqual(read(folder), read(source));
  assert.ok(Number(downloaded_bytes) < 100_000);
});

test('what is wrong is said, with the exit codes of other commands', async () => {
  const folder = site.pathOf('none');
  const port = await findFreePort();
  const cases: [string[], number, RegExp][] = [
    [['install', 'not an address'], 1, /not the address of a game/],
    [['install', `${site.server.url}/g/no-such-game`, folder], 2, /no such game|not found|does not exist/i],
    [['install', `${site.server.url}/g/${site.game.slug}`, folder, '--os', 'macos'], 2, /not offered/],
    [['install', `${site.server.url}/g/${site.game.slug}`, folder, '--limit-rate', 'fast'], 1, /--limit-rate/],
    [['install', `http://127.0.0.1:${port}/g/owls`, folder], 3, /refused|failed/],
    [['update', folder], 1, /No game is installed/],
    [['verify', folder], 1, /No game is installed/],
    [['launch', folder], 1, /No complete game|No game is installed/],
  ];
  for (const [args, code, message] of cases) {
    const result = await chauffeur(...args);
    assert.equal(result.code, code, `${args.join(' ')}: ${result.stderr}`);
    assert.match(result.stderr, message);
    assert.ok(!existsSync(folder));
  }
  writeFileSync(site.pathOf('file'), 'x');
  assert.equal((await chauffeur('install', `${site.server.url}/g/${site.game.slug}`, site.pathOf('file'))).code, 1);
});
