import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asTexts, isFiltered, readFilters } from './filters.ts';

const BUILD = '0199aa00-0000-7000-8000-000000000001';

describe('the filters of crashes', () => {
  it('are open groups where the address says nothing', () => {
    assert.deepEqual(readFilters({}), { view: 'groups', status: 'open' });
    assert.equal(isFiltered(readFilters({})), false);
  });

  it('come back from the address as they were', () => {
    for (const address of [
      { status: 'resolved', build: BUILD, since: BUILD },
      { view: 'reports', os: 'linux', build: BUILD },
      { frame: 'Car::Turn' },
      { text: 'second pillar', os: 'windows' },
    ]) {
      const given = Object.entries(asTexts(readFilters(address))).filter(([, value]) => value !== undefined);
      assert.deepEqual(Object.fromEntries(given), address);
      assert.equal(isFiltered(readFilters(address)), true);
    }
  });

  it('are reports for every search, and the function counts before the words', () => {
    const { view, search } = readFilters({ frame: ' Turn ', text: 'x' });
    assert.deepEqual([view, search], ['reports', { in: 'frame', words: 'Turn' }]);
  });

  it('drop what is none', () => {
    assert.deepEqual(readFilters({ view: 'x', status: 'y', build: 'z', os: 'amiga', frame: '  ' }), {
      view: 'groups',
      status: 'open',
    });
  });
});
