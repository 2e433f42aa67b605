// The real command pushes versions of a game to the real server, which has most of each from the version before.
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { noise, read, write } from '../packages/updater/test/setup/folders.ts';
import { serveCommandGame } from './setup/command-game.ts';

const site = serveCommandGame();

async function run(...args: string[]) {
  const result = await site.run(args, { TMPDIR: tmpdir() });
  assert.equal(result.code, 0, `${args.join(' ')}: ${result.stdout}${result.stderr}`);
  return { ...JSON.parse(result.stdout), stderr: result.stderr };
}

const push = (folder: string, version: string, ...more: string[]) =>
  run('push', folder, '--version', version, '--os', 'linux', '--arch', 'x86_64', '--json', ...more);

const MB = 1_000_000;
const text = (bytes: number, seed: number) => Buffer.from(noise(bytes / 2, seed).toString('hex'));

test('a push sends only what changed, and the server makes the same game of it', async () => {
  const folder = site.pathOf('game');
  const levels = text(12 * MB, 2);
  write(folder, 'data/world.pak', noise(20 * MB, 1));
  write(folder, 'data/levels.json', levels);
  write(folder, 'start.sh', '#!/bin/sh\n');
  for (let file = 0; file < 200; file += 1) write(folder, `small/${file}.txt`, text(2000, file + 10));
  const first = await push(folder, '1.0');
  assert.equal(first.reused_bytes, 0);
  assert.ok(first.sent_bytes > 25 * MB);

  write(
    folder,
    'data/levels.json',
    Buffer.concat([levels.subarray(0, 5 * MB), Buffer.from('new'), levels.subarray(5 * MB)]),
  );
  renameSync(join(folder, 'data/world.pak'), join(folder, 'data/planet.pak'));
  chmodSync(join(folder, 'start.sh'), 0o755);
  symlinkSync('data/planet.pak', join(folder, 'world'));
  const second = await push(folder, '1.1');
  assert.ok(second.sent_bytes < 1.5 * MB, String(second.sent_bytes));
  assert.ok(second.reused_bytes > 25 * MB, String(second.reused_bytes));
  assert.match(second.stderr, /Sent [\d.]+ .*; [\d.]+ .* were already there/);

  const installed = site.pathOf('installed');
  await run(
    'install',
    `${site.server.url}/g/${site.game.slug}`,
    installed,
    '--os',
    'linux',
    '--arch',
    'x86_64',
    '--json',
  );
  assert.deepEqual(read(installed), read(folder));

  const again = await push(folder, '1.1');
  assert.deepEqual([again.uploaded, again.sent_bytes, again.file_uid], [false, 0, second.file_uid]);
  const whole = await push(folder, '1.2', '--whole');
  assert.equal(whole.reused_bytes, 0);
  rmSync(folder, { recursive: true });
});

test('nothing is left in the folder for temporary files', async () => {
  const [folder, temp] = [site.pathOf('other'), site.pathOf('temp')];
  write(folder, 'a.pak', noise(3 * MB, 5));
  write(temp, 'keep', 'x');
  await push(folder, '2.0', '--tmp', temp);
  write(folder, 'b.pak', noise(MB, 6));
  const { sent_bytes } = await push(folder, '2.1', '--tmp', temp);
  assert.ok(sent_bytes < 1.1 * MB);
  assert.deepEqual(readdirSync(temp), ['keep']);
});
