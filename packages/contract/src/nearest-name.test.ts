import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNearestName } from './nearest-name.ts';

const KEYS = ['title', 'type', 'description', 'version', 'engine_version', 'platforms', 'changelog', 'channel', 'os'];

test('finds the name behind a typing mistake', () => {
  for (const [typed, name] of [
    ['chanel', 'channel'],
    ['Channel', 'channel'],
    ['chan el', 'channel'],
    ['vers1on', 'version'],
    ['engine-version', 'engine_version'],
    ['engineVersion', 'engine_version'],
    ['platform', 'platforms'],
    ['tittle', 'title'],
  ] as const)
    assert.equal(findNearestName(typed, KEYS), name, typed);
});

test('finds nothing for a name that is not similar to any', () => {
  for (const typed of ['author', 'x', '', 'beta', 'x'.repeat(100_000)])
    assert.equal(findNearestName(typed, KEYS), null);
});
