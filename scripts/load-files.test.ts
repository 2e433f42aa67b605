import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

test('a file whose hook fails, or that cannot be loaded, fails alone, and hooks run around the tests of their file', async (t) => {
  const file = (name: string, hook: string) => `
    import { after, before, test } from 'node:test';
    await new Promise(setImmediate);
    before(() => { ${hook} });
    after(() => console.log('after ${name}'));
    test('${name}', () => console.log('ran ${name}'));
  `;
  const { stdout } = await run(t, [
    file('a', 'throw new Error("broken")'),
    'import "./missing.mjs";',
    file('c', 'console.log("before c")'),
    file('d', 'console.log("before d")'),
  ]);
  const lines = stdout.match(/^(?:before|ran|after) .$/gm)?.filter((line) => line !== 'after a') ?? [];
  const order = (name: string) => [`before ${name}`, `ran ${name}`, `after ${name}`];
  assert.deepEqual(lines, [...order('c'), ...order('d')]);
  assert.match(stdout, /^# pass 2$/m);
});

test('a test that leaves a server open fails the run, which ends', async (t) => {
  const { stdout, stderr, status } = await run(t, [
    `
      import { createServer } from 'node:http';
      import { test } from 'node:test';
      test('leaves a server open', () => { createServer().listen(0); });
    `,
  ]);
  assert.match(stdout, /^ *ok 1 - leaves a server open$/m);
  assert.match(stderr, /^Left open by a test: .*TCPServerWrap/m);
  assert.equal(status, 1);
});

/** Runs files with these contents in one process, which has 100 ms to end after the last test. */
async function run(t: TestContext, contents: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-share-'));
  t.after(() => rm(folder, { recursive: true }));
  const paths = contents.map((_, index) => join(folder, `${index}.test.mjs`));
  await Promise.all(contents.map((text, index) => writeFile(paths[index] ?? '', text)));
  const load = `
    import { loadFiles } from ${JSON.stringify(join(import.meta.dirname, 'load-files.ts'))};
    await loadFiles(${JSON.stringify(paths)}, 100);
  `;
  await writeFile(join(folder, 'all.mjs'), load);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, ['--test-reporter=tap', join(folder, 'all.mjs')], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
}
