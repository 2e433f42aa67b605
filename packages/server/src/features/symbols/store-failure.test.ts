// How the failures of disk, store and database are named; errors of a full disk come from Linux’s /dev/full.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { recordFailure, storeFailure } from './store-failure.ts';

async function errorOfFullDisk(): Promise<Error> {
  await using file = await open('/dev/full', 'w');
  return file.write('x').then(
    () => assert.fail('the disk is not full'),
    (error: Error) => error,
  );
}

test('a full disk is 5070, also below another error', { skip: !existsSync('/dev/full') }, async () => {
  const full = await errorOfFullDisk();
  assert.deepEqual([storeFailure(full).code, storeFailure(full).status], [5070, 507]);
  assert.equal(storeFailure(new Error('PutObject failed', { cause: full })).code, 5070);
});

test('whatever else the store says is 5020, with its cause', () => {
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
