// `chauffeur videos` with the real service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { COMMAND } from './setup/programs.ts';
import { makeGame, startServer } from './setup/server.ts';
import { readVideoFixture } from './setup/videos.ts';

test('the command uploads, lists, sorts and deletes videos', async (t) => {
  const server = await startServer({ role: 'api' });
  t.after(() => server.stop());
  const { keyHeaders } = await makeGame(server);
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-cli-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'trailer.webm'), await readVideoFixture('vp9.webm'));
  await writeFile(join(folder, 'half.mp4'), (await readVideoFixture('h264.mp4')).subarray(0, 2000));

  const run = async (...args: string[]) => {
    const { 'x-access-token': access, 'x-secret-key': secret } = keyHeaders;
    const env = { PATH: '', SERVICE_API_URL: server.api, SERVICE_ACCESS_TOKEN: access, SERVICE_SECRET_KEY: secret };
    const child = spawn(process.execPath, [COMMAND, 'videos', ...args], { cwd: folder, env });
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  };

  assert.match((await run('list')).stdout, /^No videos yet\.$/m);
  const added = await run('add', 'trailer.webm');
  assert.equal(added.code, 0, added.stderr);
  const [, first = ''] = /^(\S+) {2}trailer\.webm$/m.exec(added.stdout) ?? [];
  const second = JSON.parse((await run('add', 'trailer.webm', '--json')).stdout).added.uid;
  const sorted = await run('order', second, first);
  assert.match(sorted.stdout, new RegExp(`^1 +${second} +pending +426×240 +0:01 +2\\.\\d KiB +trailer\\.webm$`, 'm'));
  const deleted = JSON.parse((await run('delete', first, '--json')).stdout);
  assert.deepEqual(
    deleted.videos.map(({ uid }: { uid: string }) => uid),
    [second],
  );
  const refused = await run('add', 'half.mp4');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /half\.mp4: damaged or cut off/);
});
