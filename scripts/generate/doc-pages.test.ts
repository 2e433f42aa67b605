// Compares the list of documentation pages on the website with the folder docs/.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOC_PAGES } from '../../packages/contract/src/docs.ts';

const FOLDER = join(import.meta.dirname, '../../docs');

test('the website lists exactly the pages of docs/, with their titles', async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  assert.deepEqual(
    DOC_PAGES.map(({ page }) => page).sort(),
    [...files.map((name) => name.slice(0, -'.md'.length)), 'changelog'].sort(),
    'add the page to packages/contract/src/docs.ts',
  );
  for (const { page, title } of DOC_PAGES) {
    const file = page === 'changelog' ? '../CHANGELOG.md' : `${page}.md`;
    const [, heading = ''] = /^# (.+)$/m.exec(await readFile(join(FOLDER, file), 'utf8')) ?? [];
    assert.equal(title, heading.replaceAll('`', ''), page);
  }
});
