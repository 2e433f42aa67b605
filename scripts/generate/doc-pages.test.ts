// Holds the list of the website’s documentation against the folder that it is of.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOC_PAGES } from '../../packages/contract/src/docs.ts';

const FOLDER = join(import.meta.dirname, '../../docs');

test('every page of docs/ stands on the website under its own title, and no other', async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  assert.deepEqual(
    DOC_PAGES.map(({ page }) => page).sort(),
    files.map((name) => name.slice(0, -'.md'.length)).sort(),
    'add the page to packages/contract/src/docs.ts',
  );
  for (const { page, title } of DOC_PAGES) {
    const [, written = ''] = /^# (.+)$/m.exec(await readFile(join(FOLDER, `${page}.md`), 'utf8')) ?? [];
    assert.equal(title, written.replaceAll('`', ''), page);
  }
});
