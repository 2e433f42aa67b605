import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { REPORTER_STEPS } from './crash-setup-steps.ts';

const DOCS = new URL('../../../../../docs/', import.meta.url);

describe('the steps to crash reports', () => {
  for (const [engine, { guide, code }] of Object.entries(REPORTER_STEPS))
    it(`are in the documentation for ${engine}`, async () => {
      for (const address of new Set([guide, ...code])) {
        const [page, section = ''] = address.split('#');
        const text = await readFile(new URL(`${page}.md`, DOCS), 'utf8');
        const found = text.split(/^(?=## )/m).find((part) => slugOf(part.split('\n', 1)[0] ?? '') === section);
        assert.ok(found !== undefined, address);
        if (code.includes(address)) assert.match(found, /^```/m, address);
      }
    });
});

function slugOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
