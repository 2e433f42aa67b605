// How the failures of store and database are named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { recordFailure, storeFailure } from './store-failure.ts';

test('whatever the store says is 5020, with its cause', () => {
  const cause = new Error('PutObject failed: ECONNREFUSED');
  assert.deepEqual([storeFailure(cause).code, storeFailure(cause).cause], [5020, cause]);
  assert.equal(storeFailure('gone').code, 5020);
});

test('a refusal stays what it is, and a database that is away is told as that', () => {
  const refusal = new ApiError(4049);
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  assert.deepEqual([storeFailure(refusal), recordFailure(refusal), recordFailure(away)], [refusal, refusal, away]);
  assert.equal((recordFailure(new Error('syntax')) as ApiError).code, 5020);
});
