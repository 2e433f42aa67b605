import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bytesOfBuffer } from '../../kernel/blobs/byte-source.ts';
import { openFileStore } from '../../kernel/blobs/filesystem.ts';
import { readFile, writeFile } from './backup-files.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chauffeur-test-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a file that unpacks to more than the manifest says is refused before the rest is read', async () => {
  const store = openFileStore({ folder });
  const written = await writeFile(store, 'backups/a/list.zst', bytesOfBuffer(Buffer.alloc(8_000_000)));
  let read = 0;
  await assert.rejects(
    async () => {
      for await (const bytes of readFile(store, { ...written, size: 1000 })) read += bytes.length;
    },
    { name: 'BackupError' },
  );
  assert.ok(read <= 1000, `${read} bytes`);
});
