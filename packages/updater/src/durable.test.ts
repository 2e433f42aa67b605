import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './durable.ts';

test('folders are made once, also below a link to one, and a file in the way is an error', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'folders-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const deep = join(root, 'a', 'b', 'c');
  await Promise.all([makeFolder(deep), makeFolder(deep), makeFolder(join(root, 'a'))]);
  await makeFolder(deep);
  assert.ok(statSync(deep).isDirectory());
  symlinkSync(join(root, 'a'), join(root, 'link'));
  await makeFolder(join(root, 'link'));
  await makeFolder(join(root, 'link', 'new'));
  assert.ok(existsSync(join(root, 'a', 'new')));
  writeFileSync(join(root, 'file'), '');
  for (const path of [join(root, 'file'), join(root, 'file', 'x'), join(root, 'n'.repeat(300))])
    await assert.rejects(makeFolder(path), { syscall: 'mkdir' }, path);
});

test('where the system makes no folders, it says so', { skip: process.platform !== 'linux' }, async () => {
  await assert.rejects(makeFolder('/proc/none/game'), { syscall: 'mkdir', code: 'ENOENT' });
});
