import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlobSettings } from './open.ts';

test('stores blobs in the data folder by default', () => {
  for (const address of [undefined, '']) {
    assert.deepEqual(parseBlobSettings(address, '/data'), { kind: 'files', folder: '/data/blobs' });
  }
});

test('reads the bucket, prefix, endpoint and region of an S3 URL', () => {
  const address = 's3://builds/studio/one?endpoint=http://127.0.0.1:9000&region=eu-central-1';
  assert.deepEqual(parseBlobSettings(address, '/data'), {
    kind: 's3',
    bucket: 'builds',
    prefix: 'studio/one/',
    endpoint: 'http://127.0.0.1:9000',
    region: 'eu-central-1',
  });
});

test('requires only a bucket', () => {
  const expected = { kind: 's3', bucket: 'my.builds-1', region: 'us-east-1' };
  for (const address of ['s3://my.builds-1', 's3://my.builds-1/', 's3://my.builds-1?endpoint=&region=']) {
    assert.deepEqual(parseBlobSettings(address, '/data'), expected);
  }
});

const BAD: readonly (readonly [address: string, message: RegExp])[] = [
  ['bucket', /is not a URL\. Write it like s3:/],
  ['https://bucket.s3.amazonaws.com', /begins with https:\/\/\. Write it like s3:/],
  ['s3://', /does not name a bucket/],
  ['s3:bucket', /does not name a bucket/],
  ['s3:///bucket', /does not name a bucket/],
  ['s3://127.0.0.1:9000/bucket', /does not name a bucket/],
  ['s3://key:secret@bucket', /contains credentials\. Set AWS_ACCESS_KEY_ID/],
  ['s3://bucket?zone=eu-central-1', /unknown parameter zone\. Use endpoint and region/],
  ['s3://bucket?endpoint=s3.example.com', /endpoint in CHAUFFEUR_BLOBS is not a URL/],
  ['s3://bucket?endpoint=http://', /endpoint in CHAUFFEUR_BLOBS is not a URL/],
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
