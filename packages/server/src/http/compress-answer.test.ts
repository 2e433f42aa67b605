import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import Fastify from 'fastify';
import { compressAnswer, isCompressible } from './compress-answer.ts';

const LONG = { text: 'render::measure '.repeat(200) };

test('long JSON is compressed for clients that accept gzip, and only for them', async () => {
  const app = Fastify();
  app.get('/long', { onSend: compressAnswer }, () => LONG);
  app.get('/short', { onSend: compressAnswer }, () => ({ text: 'short' }));
  const get = (url: string, coding: string) => app.inject({ url, headers: { 'accept-encoding': coding } });

  const packed = await get('/long', 'br, gzip');
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(packed.headers.vary, 'Accept-Encoding');
  assert.equal(Number(packed.headers['content-length']), packed.rawPayload.length);
  assert.deepEqual(JSON.parse(gunzipSync(packed.rawPayload).toString()), LONG);

  const plain = await get('/long', 'gzip;q=0');
  assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'Accept-Encoding']);
  assert.deepEqual(plain.json(), LONG);
  const short = await get('/short', 'gzip');
  assert.deepEqual([short.headers['content-encoding'], short.json()], [undefined, { text: 'short' }]);
  await app.close();
});

test('responses with secrets, files and changes are never compressed', () => {
  const compressed = OPERATIONS.filter((operation) => isCompressible(operation));
  assert.ok(compressed.some(({ id }) => id === 'crashes.list'));
  assert.deepEqual(
    compressed.filter(({ method, secret, answerTypes }) => method !== 'GET' || secret || answerTypes),
    [],
  );
});
