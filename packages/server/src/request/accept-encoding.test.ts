// Who gets gzip: by name, by star, and not against their will.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsGzip } from './accept-encoding.ts';

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

test('gzip is sent to those who name it, and to those who take anything', () => {
  for (const header of ACCEPTED) assert.equal(acceptsGzip(header), true, header);
  for (const header of REFUSED) assert.equal(acceptsGzip(header), false, String(header));
});
