// Zips with altered or missing bytes: unpacked to their original content, or refused.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import fc from 'fast-check';
import { buildZip } from '../../../test/setup/zips.ts';

import { spool } from './receive.ts';
import { unpack } from './unpack.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chauffeur-unpack-'));
});
after(() => rm(folder, { recursive: true }));

const FILES = {
  'a.sym': 'MODULE Linux x86 A0 a\n'.repeat(40),
  'deep/b.sym': 'MODULE mac arm64 B0 b\n'.repeat(9),
  'c.sym': 'x',
};
const ZIP = buildZip(
  Object.entries(FILES).map(([name, data], index) => ({
    name,
    data,
    method: index === 1 ? 0 : 8,
    descriptor: index === 0,
  })),
);

async function unpackAll(bytes: Buffer): Promise<Record<string, string>> {
  async function* source() {
    yield bytes;
  }
  const { file, size } = await spool(folder, source(), { maxBytes: 1e6, tooLarge: () => new Error('too large') });
  try {
    const files: Record<string, string> = {};
    for await (const { name, bytes } of unpack(file, size))
      files[name] = Buffer.concat(await Array.fromAsync(bytes)).toString();
    return files;
  } finally {
    await file.close();
  }
}

test('a valid zip is unpacked to its files', async () => {
  assert.deepEqual(await unpackAll(ZIP), FILES);
});

const change = fc.record({ at: fc.nat({ max: ZIP.length - 1 }), value: fc.nat({ max: 255 }) });

test('an altered zip is unpacked to its original content or refused', async () => {
  const originals = Object.values(FILES);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 4 }), fc.nat({ max: ZIP.length }), async (changes, cut) => {
      const bytes = Buffer.from(ZIP);
      for (const { at, value } of changes) bytes[at] = value;
      const isCut = cut < ZIP.length / 4;
      try {
        const files = await unpackAll(isCut ? bytes.subarray(0, ZIP.length - cut) : bytes);
        for (const text of Object.values(files)) assert.ok(originals.includes(text) || text === '', text.slice(0, 50));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        assert.ok(error.code === 4049 || error.code === 4043, `${error.code} ${error.message}`);
      }
    }),
    { numRuns: 500 },
  );
});
