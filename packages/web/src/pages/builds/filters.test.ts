import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFiltered, readFilters, toSearch } from './filters.ts';

describe('build filters', () => {
  it('survive a round trip through the URL', () => {
    const url = { search: '1.0', os: 'linux', channel: 'beta', state: 'ready', page: '3' };
    const filters = readFilters(url);
    assert.deepEqual(filters, { search: '1.0', os: 'linux', channel: 'beta', state: 'ready', page: 3 });
    assert.deepEqual(toSearch(filters), url);
  });

  it('ignore values that the server would reject', () => {
    const invalid = { search: '', os: 'amiga', channel: 'Not A Channel', state: 'toString', page: '1e9', other: 'x' };
    assert.deepEqual(readFilters(invalid), {});
    assert.deepEqual(readFilters({ page: '1.5' }), {});
  });

  it('do not include the page number', () => {
    assert.equal(isFiltered({ page: 2 }), false);
    assert.equal(isFiltered({ state: 'ready' }), true);
  });
});
