// Tests of finding the session of a stream, and of readers that stop reading.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { sessionTokenOf, writeOrDrop } from './live.ts';

test('the token is found among the cookies, without its signature', () => {
  for (const [cookies, token] of [
    ['chauffeur.session_token=abc123.signed%3D', 'abc123'],
    ['a=b; chauffeur.session_token=abc123%2E12; c=d', 'abc123'],
    ['other.session_token=x; __Secure-chauffeur.session_token=y', ''],
    ['other.session_token=abc', ''],
    ['chauffeur.session_token=%', '%'],
    ['', ''],
  ] as const)
    assert.equal(sessionTokenOf(cookies, 'chauffeur.session_token'), token, cookies);
});

test('a cookie of another name, which another host could have set, is not the session', () => {
  const cookies = 'chauffeur.session_token=set.x; __Host-chauffeur.session_token=own.x';
  assert.equal(sessionTokenOf(cookies, '__Host-chauffeur.session_token'), 'own');
});

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
