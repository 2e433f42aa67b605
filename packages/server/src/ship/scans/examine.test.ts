import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLAMD_STREAM_LIMIT, EICAR, EICAR_SIGNATURE, NO_CLAMD, startClamd } from '../../../test/setup/clamd.ts';
import { buildZip, ordinaryPieces, storeZip } from '../../../test/setup/zips.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { type ExamineInput, examine } from './examine.ts';

async function storedInput(t: { after: (fn: () => Promise<void>) => void }, bytes: Buffer): Promise<ExamineInput> {
  const { settings, key, size, remove } = await storeZip(bytes);
  t.after(remove);
  return { blobSettings: settings, key, content: 'zip', size, manifest: null, scanner: null, timeoutMs: 60_000 };
}

it('examines a zip in a thread', async (t) => {
  const examination = await examine(await storedInput(t, buildZip(ordinaryPieces())));
  assert.equal(examination.outcome, 'unscanned');
  assert.equal(examination.entries.length, 4);
});

it('finds a virus with the given clamd', async (t) => {
  const clamd = await startClamd();
  if (clamd === null) return t.skip(NO_CLAMD);
  t.after(clamd.stop);
  const input = await storedInput(t, buildZip([{ name: 'eicar.com', data: EICAR }]));
  const scanner = { address: clamd.address, streamLimit: CLAMD_STREAM_LIMIT };
  const examination = await examine({ ...input, scanner });
  assert.equal(examination.outcome, 'infected');
  assert.match(examination.detail ?? '', new RegExp(EICAR_SIGNATURE));
});

it('distinguishes an unavailable scanner, a missing blob and a timeout', async (t) => {
  const input = await storedInput(t, buildZip(ordinaryPieces()));
  const scanner = { address: 'unix:/nowhere/clamd.ctl', streamLimit: 1000 };
  await assert.rejects(examine({ ...input, scanner }), ScannerUnavailableError);
  await assert.rejects(examine({ ...input, key: 'files/none.zip' }), BlobMissingError);
  await assert.rejects(examine({ ...input, timeoutMs: 1 }), ThreadTimeoutError);
});
