import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameBuilds } from './name-builds.ts';

test('builds with the same version are named with their platforms', () => {
  const build = (version: string, os = 'linux') => ({ version, os, arch: 'x86_64' });
  assert.deepEqual(nameBuilds([build('1.1'), build('1.0'), build('1.1', 'windows'), build('', ''), build('', '')]), [
    '1.1 Linux x86_64',
    '1.0',
    '1.1 Windows x86_64',
    'deleted build',
    'deleted build',
  ]);
});
