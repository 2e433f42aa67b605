import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pickShare } from './load-share.ts';

test('every file is in exactly one share, and the shares are about the same size', () => {
  const sizes = new Map(Array.from({ length: 50 }, (_, index) => [`${index}.test.ts`, (index * 37) % 101]));
  const shares = [1, 2, 3].map((share) => pickShare(sizes, { share, of: 3 }));
  assert.deepEqual(shares.flat().sort(), [...sizes.keys()].sort());
  const totals = shares.map((paths) => paths.reduce((total, path) => total + (sizes.get(path) ?? 0), 0));
  assert.ok(Math.max(...totals) - Math.min(...totals) < 101, `${totals}`);
});

test('the suites load every share of what they divide', async () => {
  const names = await Array.fromAsync(glob('*.suite.ts', { cwd: join(import.meta.dirname, '../suites') }));
  const shares = names.map((name) => /^(?<subject>.+)-(?<share>\d+)-of-(?<of>\d+)\.suite\.ts$/.exec(name)?.groups);
  for (const [subject, found] of Map.groupBy(shares, (groups) => `${groups?.subject} of ${groups?.of}`)) {
    const numbers = found.map((groups) => Number(groups?.share)).sort((a, b) => a - b);
    const all = Array.from({ length: Number(found[0]?.of) }, (_, index) => index + 1);
    assert.deepEqual(numbers, all, subject);
  }
});

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
    import { loadShare } from ${JSON.stringify(join(import.meta.dirname, 'load-share.ts'))};
    await loadShare([${JSON.stringify(join(folder, '*.test.mjs'))}], { share: 1, of: 1 });
  `;
  await writeFile(join(folder, 'all.mjs'), load);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=tap', join(folder, 'all.mjs')], {
    env,
    encoding: 'utf8',
  });
  const lines = stdout.match(/^(?:before|ran|after) .$/gm)?.filter((line) => line !== 'after a') ?? [];
  const order = (name: string) => [`before ${name}`, `ran ${name}`, `after ${name}`];
  assert.deepEqual(lines, lines[0] === 'before c' ? [...order('c'), ...order('d')] : [...order('d'), ...order('c')]);
  assert.match(stdout, /^# pass 2$/m);
});
