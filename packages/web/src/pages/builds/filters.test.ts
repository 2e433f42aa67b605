import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asTexts, isFiltered, readFilters } from './filters.ts';

describe('the filters of builds', () => {
  it('are read from an address, and written into one again', () => {
    const address = { search: '1.0', os: 'linux', channel: 'beta', state: 'ready', page: '3' };
    const filters = readFilters(address);
    assert.deepEqual(filters, { search: '1.0', os: 'linux', channel: 'beta', state: 'ready', page: 3 });
    assert.deepEqual(asTexts(filters), address);
  });

  it('are left out where they could not be: the service would refuse them', () => {
    const wrong = { search: '', os: 'amiga', channel: 'Not A Channel', state: 'toString', page: '1e9', other: 'x' };
    assert.deepEqual(readFilters(wrong), {});
    assert.deepEqual(readFilters({ page: '1.5' }), {});
  });

  it('count as such without the page', () => {
    assert.equal(isFiltered({ page: 2 }), false);
    assert.equal(isFiltered({ state: 'ready' }), true);
  });
});
