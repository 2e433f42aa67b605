import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withLock } from './lock.ts';

const root = mkdtempSync(join(tmpdir(), 'updater-lock-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('one at a time has the lock, and it is free afterwards, even after an error', async () => {
  const path = join(root, 'one');
  const taken = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const first = withLock(path, () => {
    taken.resolve();
    return finished.promise;
  });
  await taken.promise;
  await assert.rejects(
    withLock(path, async () => {}),
    { code: 'locked' },
  );
  finished.resolve();
  await first;
  await assert.rejects(
    withLock(path, async () => {
      throw new Error('failed');
    }),
    /failed/,
  );
  assert.equal(await withLock(path, async () => 'done'), 'done');
  assert.ok(!existsSync(path));
});

test('the lock of a process that was killed is replaced', async () => {
  const path = join(root, 'killed');
  const script = `import { withLock } from ${JSON.stringify(new URL('lock.ts', import.meta.url).href)};
    await withLock(${JSON.stringify(path)}, () => new Promise((stay) => { console.log('locked'); setInterval(stay, 1e9); }));`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await assert.rejects(
    withLock(path, async () => {}),
    { code: 'locked' },
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await withLock(path, async () => 'done'), 'done');
});

test('a lock file with anything else in it is replaced', async () => {
  const path = join(root, 'damaged');
  for (const text of ['', '{', 'null', '[]', '{"pid":"x"}', '{"pid":0.5}']) {
    writeFileSync(path, text);
    assert.equal(await withLock(path, async () => 'done'), 'done', text);
  }
});
