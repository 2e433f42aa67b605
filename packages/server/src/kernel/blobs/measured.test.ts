import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createMetrics } from '../telemetry/metrics.ts';
import { bytesOfBuffer } from './byte-source.ts';
import { measureBlobs } from './measured.ts';
import { openBlobStore } from './open.ts';
import { BlobMissingError } from './store.ts';

describe('measureBlobs', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chauffeur-measured-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** The outcomes of the operations that `work` performs, such as `put ok`. */
  async function outcomesOf(work: (store: ReturnType<typeof measureBlobs>) => Promise<unknown>): Promise<string[]> {
    const metrics = createMetrics();
    const store = measureBlobs(openBlobStore({ kind: 'files', folder }), metrics);
    await store.check();
    await work(store);
    const pattern =
      /^chauffeur_blob_operation_duration_seconds_count\{operation="(\w+)",outcome="(\w+)"\} ([1-9]\d*)$/gm;
    return [...(await metrics.read()).matchAll(pattern)].map(([, operation, outcome]) => `${operation} ${outcome}`);
  }

  it('counts operations by their outcome', async () => {
    const outcomes = await outcomesOf(async (store) => {
      await store.put('a', bytesOfBuffer(Buffer.from('bytes')));
      (await store.read('a')).destroy();
      await assert.rejects(store.read('b'), BlobMissingError);
      await store.delete('a');
    });
    assert.deepEqual(outcomes, ['put ok', 'read ok', 'read missing', 'delete ok']);
  });

  it('distinguishes a sender that broke off from a store that failed', async () => {
    async function* cut() {
      yield Buffer.from('half');
      throw new Error('cut');
    }
    const outcomes = await outcomesOf(async (store) => {
      await assert.rejects(store.put('c', cut()), /cut/);
      await store.put('file', bytesOfBuffer(Buffer.from('bytes')));
      // Its folder is a file.
      await assert.rejects(store.put('file/below', bytesOfBuffer(Buffer.from('bytes'))), { code: 'EEXIST' });
    });
    assert.deepEqual(outcomes, ['put ok', 'put cut', 'put failed']);
  });
});
