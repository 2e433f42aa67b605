import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '@chauffeur/contract/errors';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { SETTINGS } from '../../packages/server/src/config.ts';
import { writeApi } from './api.ts';
import { writeConfig } from './config.ts';
import { writeErrors } from './errors.ts';
import { fieldsOf } from './fields.ts';
import { fragmentOf } from './markdown.ts';
import { writeMcpTools } from './mcp-tools.ts';

const DOCS = join(import.meta.dirname, '../../docs');

function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

test('every error code, operation, tool and setting is documented', async () => {
  const [errors, api, config] = [headingsOf(writeErrors()), headingsOf(writeApi()), writeConfig()];
  assert.deepEqual(
    Object.keys(ERRORS).filter((code) => !errors.includes(code)),
    [],
  );
  assert.deepEqual(
    OPERATIONS.filter(({ id }) => !api.includes(id)),
    [],
  );
  const tools = headingsOf(writeMcpTools());
  assert.deepEqual(
    OPERATIONS.filter(({ mcp }) => mcp !== undefined && !tools.includes(mcp.tool)),
    [],
  );
  assert.deepEqual(
    Object.values(SETTINGS).filter(({ variable }) => !config.includes(`| \`${variable}\` |`)),
    [],
  );
});

test('every link leads to an existing heading, and headings have different fragments', async () => {
  const documents: Record<string, string> = {
    'errors.md': writeErrors(),
    'api.md': writeApi(),
    'mcp-tools.md': writeMcpTools(),
  };
  for (const [name, text] of Object.entries(documents)) {
    const fragments = headingsOf(text).map(fragmentOf);
    assert.equal(new Set(fragments).size, fragments.length, name);
    for (const [link, target = '', fragment = ''] of text.matchAll(/\]\(([a-z]+\.md)?(?:#([^)]+))?\)/g)) {
      const page = documents[target === '' ? name : target] ?? (await readFile(join(DOCS, target), 'utf8'));
      if (fragment !== '') assert.ok(headingsOf(page).map(fragmentOf).includes(fragment), `${name}: ${link}`);
    }
  }
});

test('every row of a table has as many cells as its header', async () => {
  for (const text of [writeErrors(), writeConfig(), writeApi(), writeMcpTools()]) {
    for (const [table] of text.matchAll(/(?:^\|.*\n)+/gm)) {
      const cells = table
        .trimEnd()
        .split('\n')
        .map((row) => row.split(/(?<!\\)\|/).length);
      assert.deepEqual([...new Set(cells)].length, 1, table);
    }
  }
});

test('fields are described with their path, type, limits and meaning', () => {
  const schema = {
    required: ['order', 'file'],
    properties: {
      order: { items: { type: 'string', description: 'a UUID' }, maxItems: 100 },
      file: { type: 'string', format: 'binary' },
      notes: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
      items: { items: { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } } },
    },
  };
  assert.deepEqual(
    fieldsOf(schema, () => undefined).map(({ name, required, type, meaning }) => [name, required, type, meaning]),
    [
      ['order', true, 'array of strings, at most 100 items', 'A UUID'],
      ['file', true, 'file', ''],
      ['notes', false, 'string, at most 5 characters or null', ''],
      ['items', false, 'array of objects', ''],
      ['items[].size', true, 'integer, at least 1', ''],
    ],
  );
});
