import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  filterValueOf,
  isFiltered,
  isNewOnly,
  readFilters,
  statusOf,
  toSearch,
  withNewOnly,
  withStatus,
  withValue,
} from './crash-filters.ts';

describe('crash filters', () => {
  it('default to open groups, and to all reports', () => {
    assert.deepEqual(readFilters({}), { view: 'groups', query: 'is:open', sort: 'last_seen' });
    assert.deepEqual(readFilters({ view: 'reports' }), { view: 'reports', query: '', sort: 'last_seen' });
    assert.equal(isFiltered(readFilters({})), false);
    assert.equal(isFiltered(readFilters({ q: '' })), false);
    assert.equal(isFiltered(readFilters({ q: 'is:resolved' })), true);
  });

  it('survive a round trip through the URL', () => {
    for (const url of [
      {},
      { q: 'is:resolved os:linux', sort: 'reports' },
      { q: '' },
      { view: 'reports' },
      { view: 'reports', q: 'metadata.gpu:"RTX 3060"' },
      { view: 'reports', q: 'is:open' },
    ]) {
      const entries = Object.entries(toSearch(readFilters(url))).filter(([, value]) => value !== undefined);
      assert.deepEqual(Object.fromEntries(entries), url);
    }
  });

  it('show reports for filters that groups do not have', () => {
    for (const q of ['message:dark', 'os:linux message:"dark room"']) assert.equal(readFilters({ q }).view, 'reports');
    assert.equal(readFilters({ q: 'render::' }).view, 'groups');
  });

  it('ignore invalid values', () => {
    const search = { view: 'x', sort: 'y', q: ` ${'a'.repeat(2000)}` };
    assert.deepEqual(readFilters(search), { view: 'groups', query: 'a'.repeat(1000), sort: 'last_seen' });
  });
});

describe('a part of a query', () => {
  it('is read and replaced', () => {
    assert.equal(filterValueOf('is:open os:windows', 'os'), 'windows');
    for (const query of ['os:windows,linux', '-os:windows', 'is:open']) assert.equal(filterValueOf(query, 'os'), '');
    assert.equal(withValue('os:windows render::', 'os', 'linux'), 'os:linux render::');
    assert.equal(withValue('os:windows render::', 'os', ''), 'render::');
    assert.equal(withValue('is:open', 'version', '1.0 beta'), 'is:open version:"1.0 beta"');
  });

  it('is the status', () => {
    assert.deepEqual(['is:open', 'is:snoozed is:new', '', 'is:new', 'is:open,resolved', '-is:open'].map(statusOf), [
      'open',
      'snoozed',
      'all',
      'all',
      null,
      'all',
    ]);
    assert.equal(withStatus('is:open render::', 'ignored'), 'is:ignored render::');
    assert.equal(withStatus('render:: is:open,assigned', 'ignored'), 'render:: is:ignored is:assigned');
    assert.equal(withStatus('is:open,resolved is:linked', 'all'), 'is:linked');
    assert.equal(withStatus('-is:open', 'open'), 'is:open -is:open');
  });

  it('selects new groups', () => {
    assert.equal(isNewOnly('is:open is:new'), true);
    for (const query of ['is:open', 'is:open,new', '-is:new']) assert.equal(isNewOnly(query), false);
    assert.equal(withNewOnly('is:open', true), 'is:new is:open');
    assert.equal(withNewOnly('is:new is:open', false), 'is:open');
  });
});
