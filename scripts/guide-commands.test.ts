// Checks the commands and settings in the guides without running them; e2e/release/guides.test.ts runs them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOC_GROUPS } from '@chauffeur/contract/docs';
import { readGuideCommands } from '../e2e/setup/guide-commands.ts';
import { GUIDE_PLANS } from '../e2e/setup/guide-plan.ts';
import { SETTINGS } from '../packages/server/src/config.ts';

const ROOT = join(import.meta.dirname, '..');
const blocks = await readGuideCommands();

test('every block of commands in the guides has a plan, and every plan a block', () => {
  assert.deepEqual(
    blocks.map(({ name }) => name).sort(),
    Object.keys(GUIDE_PLANS).sort(),
    'say in e2e/setup/guide-plan.ts how the block is tested',
  );
});

test('the tests that run a block of commands elsewhere still do', async () => {
  for (const [name, plan] of Object.entries(GUIDE_PLANS)) {
    if ('elsewhere' in plan) assert.ok((await readFile(join(ROOT, plan.elsewhere), 'utf8')).includes(plan.as), name);
  }
});

test('every setting in an example exists', async () => {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  const pages = DOC_GROUPS.filter(({ name }) => name === 'Operate').flatMap((group) => group.pages);
  let count = 0;
  for (const { page } of pages) {
    const text = await readFile(join(ROOT, `docs/${page}.md`), 'utf8');
    for (const [, block = ''] of text.matchAll(/^```ini\n([\s\S]*?)\n```$/gm)) {
      const names = block.split('\n').map((line) => line.split('=', 1)[0] ?? '');
      assert.deepEqual(
        names.filter((name) => !known.has(name) && !/^(AWS|OTEL)_/.test(name)),
        [],
        page,
      );
      count += 1;
    }
  }
  assert.ok(count >= 4);
});

test('bash can parse every block of commands', () => {
  const input = blocks.map(({ text }) => text.replaceAll('<version>', '1.0.0')).join('\n');
  const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
