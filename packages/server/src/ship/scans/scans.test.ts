import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildZip, ordinaryPieces, storeZip, type ZipPiece } from '../../../test/setup/zips.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { inspectZip } from './scans.ts';

async function inspect(t: { after: (fn: () => Promise<void>) => void }, bytes: Buffer): Promise<string | null> {
  const { settings, key, remove } = await storeZip(bytes);
  t.after(remove);
  return (await inspectZip(settings, key))?.reason ?? null;
}

it('accepts an ordinary zip', async (t) => {
  assert.equal(await inspect(t, buildZip(ordinaryPieces())), null);
});

it('returns why a zip is refused', async (t) => {
  const bomb: ZipPiece = { name: 'zeros', data: Buffer.alloc(3_000_000), method: 8 };
  const shared: ZipPiece = { name: 'b', data: 'kernel', offset: 0, recordOnly: true };
  const refused: [Buffer, RegExp][] = [
    [Buffer.from('MZ'), /not a \.zip/],
    [buildZip([]), /contains no files/],
    [buildZip([{ name: '/etc/passwd', data: 'x' }]), /absolute path/],
    [buildZip([{ name: 'a', data: 'kernel' }, shared]), /overlaps/],
    [buildZip([bomb]), /200 times/],
    [buildZip([{ name: 'a', data: 'x', size: 51 * 1024 ** 3, packedSize: 51 * 1024 ** 3, zip64: true }]), /overlaps/],
  ];
  for (const [bytes, reason] of refused) assert.match((await inspect(t, bytes)) ?? 'taken', reason);
});

it('distinguishes a missing blob from an invalid zip', async (t) => {
  const { settings, remove } = await storeZip(Buffer.alloc(1));
  t.after(remove);
  await assert.rejects(inspectZip(settings, 'files/none.zip'), BlobMissingError);
});
