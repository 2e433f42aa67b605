// Tests lookups in indexes of various sizes, mostly near the size of a page.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MinidumpError } from '../../error.ts';
import { IndexTable, IndexWriter } from './index-table.ts';
import { PageReader } from './page-reader.ts';
import { PageWriter } from './page-writer.ts';
import { MemoryRangeReader } from './range-reader.ts';

/** Creates an index with the keys 10, 20, 30, … and positions that are ten times the key. */
function createIndex(count: number, lastKey = count * 10): IndexTable {
  const pieces: Uint8Array[] = [];
  const pages = new PageWriter({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
  pages.append(Uint8Array.of(1, 2, 3));
  const writer = new IndexWriter(pages);
  for (let index = 1; index < count; index++) writer.add(index * 10, index * 100);
  if (count > 0) writer.add(lastKey, count * 100);
  const place = writer.finish();
  const pageCount = pages.finish();
  return new IndexTable(new PageReader(new MemoryRangeReader(Buffer.concat(pieces)), pageCount), place);
}

for (const count of [0, 1, 2, 254, 255, 256, 510, 511, 130_561]) {
  it(`finds the last entry at or below a key, and an exact entry, among ${count} entries`, () => {
    const index = createIndex(count);
    assert.equal(index.floor(9), undefined);
    for (const entry of [1, 2, 127, 254, 255, 256, 257, 509, 510, 511, 65_025, 65_026, count].filter(
      (number) => number > 0 && number <= count,
    )) {
      const expected = { key: entry * 10, position: entry * 100 };
      assert.deepEqual(index.floor(entry * 10), expected);
      assert.deepEqual(index.floor(entry * 10 + 9), expected);
      assert.deepEqual(index.exact(entry * 10), expected);
      assert.equal(index.exact(entry * 10 + 1), undefined);
    }
    assert.equal(index.floor(2 ** 52)?.key, count === 0 ? undefined : count * 10);
  });
}

it('throws `bad-cache` for a key above 2^53', () => {
  const index = createIndex(3, 2 ** 60);
  assert.equal(index.floor(25)?.key, 20);
  assert.throws(
    () => index.floor(2 ** 60),
    (error) => error instanceof MinidumpError && error.code === 'bad-cache',
  );
});
