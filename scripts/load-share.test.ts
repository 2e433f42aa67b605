import assert from 'node:assert/strict';
import { glob } from 'node:fs/promises';
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
