import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('a file whose hook fails, or that cannot be loaded, fails alone, and hooks run around the tests of their file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-share-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = (name: string, hook: string) => `
    import { after, before, test } from 'node:test';
    await new Promise(setImmediate);
    before(() => { ${hook} });
    after(() => console.log('after ${name}'));
    test('${name}', () => console.log('ran ${name}'));
  `;
  await writeFile(join(folder, 'a.test.mjs'), file('a', 'throw new Error("broken")'));
  await writeFile(join(folder, 'b.test.mjs'), 'import "./missing.mjs";');
  await writeFile(join(folder, 'c.test.mjs'), file('c', 'console.log("before c")'));
  await writeFile(join(folder, 'd.test.mjs'), file('d', 'console.log("before d")'));
  const load = `
    import { loadFiles } from ${JSON.stringify(join(import.meta.dirname, 'load-files.ts'))};
    await loadFiles(${JSON.stringify(['a', 'b', 'c', 'd'].map((name) => join(folder, `${name}.test.mjs`)))});
  `;
  await writeFile(join(folder, 'all.mjs'), load);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=tap', join(folder, 'all.mjs')], {
    env,
    encoding: 'utf8',
  });
  const lines = stdout.match(/^(?:before|ran|after) .$/gm)?.filter((line) => line !== 'after a') ?? [];
  const order = (name: string) => [`before ${name}`, `ran ${name}`, `after ${name}`];
  assert.deepEqual(lines, [...order('c'), ...order('d')]);
  assert.match(stdout, /^# pass 2$/m);
});
