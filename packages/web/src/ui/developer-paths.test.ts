import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForDevelopers } from './developer-paths.ts';

test('pages of developers and operators show details of errors, and those of players do not', () => {
  for (const path of ['/dev', '/dev/owls/crashes', '/operator/jobs', '/approve/x', '/settings/keys'])
    assert.ok(isForDevelopers(path), path);
  for (const path of ['/', '/g/owls', '/g/owls/report', '/sign-in', '/settings/profile', '/developer', '/@dev'])
    assert.ok(!isForDevelopers(path), path);
});
