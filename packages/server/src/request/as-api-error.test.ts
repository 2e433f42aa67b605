import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { S3Error } from '../kernel/blobs/s3-error.ts';
import { asKnownError } from './as-api-error.ts';

function failed(name: string): Error {
  return Object.assign(new Error('x'), { name });
}

for (const [what, thrown, code] of [
  ['S3 that is overloaded', S3Error.of('GetObject', 'builds', failed('SlowDown')), 5030],
  ['S3 that rejects the clock', S3Error.of('HeadObject', 'builds', failed('RequestTimeTooSkewed')), 5030],
  ['full S3', S3Error.of('PutObject', 'builds', failed('XMinioStorageFull')), 5070],
  ['a database that is starting', Object.assign(new Error('x'), { code: '57P03' }), 5030],
  ['a full disk of the database', Object.assign(new Error('x'), { code: '53100' }), 5070],
  ['a refusal', new ApiError(4040), 4040],
  ['a mistake in the program', new TypeError('x is not a function'), undefined],
] as const) {
  test(`${what} gets ${code ?? 'no code'}`, () => {
    assert.equal(asKnownError(thrown)?.code, code);
  });
}
