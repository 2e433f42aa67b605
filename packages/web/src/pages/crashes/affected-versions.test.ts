import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAffectedVersions } from './affected-versions.ts';

const builds = (...versions: string[]) => versions.map((version) => ({ version }));

describe('formatAffectedVersions', () => {
  it('says whether the newest build is affected, and whether it is the only one', () => {
    assert.equal(formatAffectedVersions(builds('1.2', '1.2'), 2, '1.2'), 'Only in 1.2 (newest build)');
    assert.equal(formatAffectedVersions(builds('1.1', '1.2'), 2, '1.2'), 'Also in 1.2 (newest build)');
    assert.equal(formatAffectedVersions(builds('1.1', '1.0'), 2, '1.2'), 'Not in 1.2 (newest build)');
    assert.equal(formatAffectedVersions(builds('1.1'), 1, '1.2'), 'Only in 1.1, not in 1.2 (newest build)');
  });

  it('claims nothing that builds outside the list may contradict', () => {
    assert.equal(formatAffectedVersions(builds('1.1'), 300, '1.2'), null);
    assert.equal(formatAffectedVersions(builds('1.2'), 300, '1.2'), 'Also in 1.2 (newest build)');
    assert.equal(formatAffectedVersions([], 0, '1.2'), null);
    assert.equal(formatAffectedVersions(builds('1.1'), 1, undefined), null);
    assert.equal(formatAffectedVersions(builds(''), 1, '1.2'), 'Not in 1.2 (newest build)');
  });
});
