// Tests how errors of a full disk are recognized. One of them is a real error of Linux's /dev/full.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { isStorageFull } from './storage-full.ts';

test('recognizes a full disk, even as the cause of another error', { skip: !existsSync('/dev/full') }, async () => {
  await using file = await open('/dev/full', 'w');
  const full = await file.write('x').then(
    () => assert.fail('the disk is not full'),
    (error: Error) => error,
  );
  assert.equal(isStorageFull(full), true);
  assert.equal(isStorageFull(new Error('PutObject failed', { cause: full })), true);
});

test('recognizes a full database and a full S3 server', () => {
  assert.equal(isStorageFull(Object.assign(new Error('could not extend file'), { code: '53100' })), true);
  assert.equal(isStorageFull(Object.assign(new Error('full'), { name: 'XMinioStorageFull' })), true);
});

test('does not recognize other errors', () => {
  const others = ['53200', '53300', 'ENOENT', undefined].map((code) => Object.assign(new Error('x'), { code }));
  for (const other of [...others, new Error('x', { cause: others[0] }), 'ENOSPC', null])
    assert.equal(isStorageFull(other), false);
});
