import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupByVersion, isBuildFiltered, readBuildFilters, toBuildSearch } from './build-filters.ts';

describe('build filters', () => {
  it('survive a round trip through the URL', () => {
    const url = { search: '1.0', os: 'linux', channel: 'beta', state: 'ready', sort: 'size', page: '3' };
    const filters = readBuildFilters(url);
    assert.deepEqual(filters, { search: '1.0', os: 'linux', channel: 'beta', state: 'ready', sort: 'size', page: 3 });
    assert.deepEqual(toBuildSearch(filters), url);
  });

  it('ignore values that the server would reject', () => {
    const invalid = {
      search: '',
      os: 'amiga',
      channel: 'Not A Channel',
      state: 'toString',
      sort: 'name',
      page: '1e9',
      other: 'x',
    };
    assert.deepEqual(readBuildFilters(invalid), {});
    assert.deepEqual(readBuildFilters({ page: '1.5', sort: 'registered' }), {});
  });

  it('do not include the page number and the order', () => {
    assert.equal(isBuildFiltered({ page: 2, sort: 'size' }), false);
    assert.equal(isBuildFiltered({ state: 'ready' }), true);
  });
});

describe('builds of one version', () => {
  it('are together, in the usual order of platforms', () => {
    const build = (version: string, os: 'windows' | 'linux') => ({ version, os, arch: 'x86_64' as const });
    const [newest, late, early] = [build('1.1', 'linux'), build('1.0', 'linux'), build('1.0', 'windows')];
    assert.deepEqual(groupByVersion([late, newest, early]), [early, late, newest]);
  });
});
