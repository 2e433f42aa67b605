// Tests which Accept-Encoding headers allow gzip.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsGzip } from './negotiation.ts';

const ACCEPTED = [
  'gzip',
  'GZIP',
  'x-gzip',
  'deflate, gzip;q=0.5',
  'gzip; q=0.001',
  '*',
  'br, *;q=0.1',
  'identity;q=0, gzip',
];
const REFUSED = [undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; Q=0.000', '*, gzip;q=0', '*;q=0', 'gzipped'];

test('gzip is accepted by name or by *, unless its weight is 0', () => {
  for (const header of ACCEPTED) assert.equal(acceptsGzip(header), true, header);
  for (const header of REFUSED) assert.equal(acceptsGzip(header), false, String(header));
});
