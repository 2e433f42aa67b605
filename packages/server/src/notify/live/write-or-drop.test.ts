import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { writeOrDrop } from './write-or-drop.ts';

test('a reader that stops reading is dropped before much is kept for it', () => {
  const stream = new PassThrough({ highWaterMark: 1024 });
  let writes = 0;
  for (; !stream.destroyed && writes < 10_000; writes += 1) writeOrDrop(stream, 'x'.repeat(100));
  assert.ok(writes > 100 && writes < 400, `${writes} writes`);
  writeOrDrop(stream, 'nothing happens');
});

test('a reader that reads gets everything', async () => {
  const stream = new PassThrough({ highWaterMark: 1024 });
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  for (let writes = 0; writes < 1000; writes += 1) {
    writeOrDrop(stream, 'x'.repeat(100));
    await new Promise(setImmediate);
  }
  assert.equal(length, 100_000);
});
