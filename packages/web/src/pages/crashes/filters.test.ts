import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFiltered, readFilters, toSearch } from './filters.ts';

const BUILD = '0199aa00-0000-7000-8000-000000000001';

describe('crash filters', () => {
  it('default to open groups', () => {
    assert.deepEqual(readFilters({}), { view: 'groups', status: 'open' });
    assert.equal(isFiltered(readFilters({})), false);
  });

  it('survive a round trip through the URL', () => {
    for (const url of [
      { status: 'resolved', build: BUILD, since: BUILD },
      { view: 'reports', os: 'linux', build: BUILD },
      { frame: 'Car::Turn' },
      { text: 'second pillar', os: 'windows' },
    ]) {
      const entries = Object.entries(toSearch(readFilters(url))).filter(([, value]) => value !== undefined);
      assert.deepEqual(Object.fromEntries(entries), url);
      assert.equal(isFiltered(readFilters(url)), true);
    }
  });

  it('show reports for every search, and prefer the search for functions', () => {
    const { view, search } = readFilters({ frame: ' Turn ', text: 'x' });
    assert.deepEqual([view, search], ['reports', { in: 'frame', text: 'Turn' }]);
  });

  it('ignore invalid values', () => {
    assert.deepEqual(readFilters({ view: 'x', status: 'y', build: 'z', os: 'amiga', frame: '  ' }), {
      view: 'groups',
      status: 'open',
    });
  });
});
