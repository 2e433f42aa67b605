import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { storeZip } from '../../../test/setup/zips.ts';
import { BlobCursor, readBytes } from './blob-bytes.ts';

it('reads bytes in steps of any size, across pieces and up to the end', async (t) => {
  const bytes = randomBytes(20 * 1024 * 1024 + 3);
  const { store, key, remove } = await storeZip(bytes);
  t.after(remove);
  const cursor = new BlobCursor(store, key, bytes.length);
  assert.deepEqual(await cursor.take(5), bytes.subarray(0, 5));
  assert.equal((await cursor.take(0)).length, 0);
  assert.deepEqual(await cursor.take(9_000_000), bytes.subarray(5, 9_000_005));
  for await (const part of cursor.stream(100)) {
    assert.ok(part.length > 0);
    break;
  }
  assert.equal(cursor.position, 9_000_105);
  const rest = await Array.fromAsync(cursor.stream(bytes.length));
  assert.deepEqual(Buffer.concat(rest), bytes.subarray(9_000_105));
  assert.equal((await cursor.take(1)).length, 0);
});

it('reads a complete range and rejects if it is shorter', async (t) => {
  const { store, key, remove } = await storeZip(Buffer.from('0123456789'));
  t.after(remove);
  assert.equal((await readBytes(store, key, 2, 5)).toString(), '234');
  await assert.rejects(readBytes(store, key, 5, 20), /is shorter than recorded/);
});
