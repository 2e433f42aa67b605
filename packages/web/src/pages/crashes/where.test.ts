import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sayWhere } from './where.ts';

const builds = (...versions: string[]) => versions.map((version) => ({ version }));

describe('sayWhere', () => {
  it('tells whether the newest build has it, and whether that alone has', () => {
    assert.equal(sayWhere(builds('1.2', '1.2'), 2, '1.2'), 'Only in 1.2, the newest build');
    assert.equal(sayWhere(builds('1.1', '1.2'), 2, '1.2'), 'Also in 1.2, the newest build');
    assert.equal(sayWhere(builds('1.1', '1.0'), 2, '1.2'), 'Not in 1.2, the newest build');
    assert.equal(sayWhere(builds('1.1'), 1, '1.2'), 'Only in 1.1; not in 1.2, the newest build');
  });

  it('says nothing that builds which are not named may belie', () => {
    assert.equal(sayWhere(builds('1.1'), 300, '1.2'), null);
    assert.equal(sayWhere(builds('1.2'), 300, '1.2'), 'Also in 1.2, the newest build');
    assert.equal(sayWhere([], 0, '1.2'), null);
    assert.equal(sayWhere(builds('1.1'), 1, undefined), null);
    assert.equal(sayWhere(builds(''), 1, '1.2'), 'Not in 1.2, the newest build');
  });
});
