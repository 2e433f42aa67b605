// How failures of the store and the database are mapped to error codes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { asStoreFailure, storeFailure } from './store-text.ts';

test('every error of the store becomes 5020 with its cause', () => {
  const cause = new Error('PutObject failed: ECONNREFUSED');
  assert.deepEqual([storeFailure(cause).code, storeFailure(cause).cause], [5020, cause]);
  assert.equal(storeFailure('gone').code, 5020);
});

test('API errors and database outages keep their code', () => {
  const refusal = new ApiError(4049);
  const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  assert.deepEqual(
    [storeFailure(refusal), asStoreFailure(refusal), asStoreFailure(unreachable)],
    [refusal, refusal, unreachable],
  );
  assert.equal((asStoreFailure(new Error('syntax')) as ApiError).code, 5020);
});
