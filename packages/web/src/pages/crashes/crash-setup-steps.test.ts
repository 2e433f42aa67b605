import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { REPORTER_STEPS } from './crash-setup-steps.ts';

const DOCS = new URL('../../../../../docs/', import.meta.url);

describe('the steps to crash reports', () => {
  for (const [engine, { guide, code }] of Object.entries(REPORTER_STEPS))
    it(`are those of the documentation for ${engine}`, async () => {
      const [page, section = ''] = guide.split('#');
      const text = await readFile(new URL(`${page}.md`, DOCS), 'utf8');
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      );
      assert.ok(headings.includes(section), section);
      if (code !== undefined) assert.ok(text.includes(code), code);
    });
});
