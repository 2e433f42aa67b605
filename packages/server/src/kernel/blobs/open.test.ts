import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlobSettings } from './open.ts';

test('keeps blobs under the data folder when no address is given', () => {
  for (const address of [undefined, '']) {
    assert.deepEqual(parseBlobSettings(address, '/data'), { kind: 'files', folder: '/data/blobs' });
  }
});

test('reads bucket, prefix, endpoint and region of an S3 address', () => {
  const address = 's3://builds/studio/one?endpoint=http://127.0.0.1:9000&region=eu-central-1';
  assert.deepEqual(parseBlobSettings(address, '/data'), {
    kind: 's3',
    bucket: 'builds',
    prefix: 'studio/one/',
    endpoint: 'http://127.0.0.1:9000',
    region: 'eu-central-1',
  });
});

test('needs no more than a bucket', () => {
  const expected = { kind: 's3', bucket: 'my.builds-1', region: 'us-east-1' };
  for (const address of ['s3://my.builds-1', 's3://my.builds-1/', 's3://my.builds-1?endpoint=&region=']) {
    assert.deepEqual(parseBlobSettings(address, '/data'), expected);
  }
});

const BAD: readonly (readonly [address: string, message: RegExp])[] = [
  ['bucket', /is not an address; write it such as s3:/],
  ['https://bucket.s3.amazonaws.com', /begins with https:\/\/; write it such as s3:/],
  ['s3://', /names no bucket/],
  ['s3:bucket', /names no bucket/],
  ['s3:///bucket', /names no bucket/],
  ['s3://127.0.0.1:9000/bucket', /names no bucket/],
  ['s3://key:secret@bucket', /holds credentials; set AWS_ACCESS_KEY_ID/],
  ['s3://bucket?regoin=eu-central-1', /unknown parameter regoin; use endpoint and region/],
  ['s3://bucket?endpoint=s3.example.com', /endpoint in CHAUFFEUR_BLOBS is not a web address/],
  ['s3://bucket?endpoint=http://', /endpoint in CHAUFFEUR_BLOBS is not a web address/],
];

for (const [address, message] of BAD) {
  test(`refuses ${address}`, () => {
    assert.throws(
      () => parseBlobSettings(address, '/data'),
      (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /secret@/);
        return true;
      },
    );
  });
}
