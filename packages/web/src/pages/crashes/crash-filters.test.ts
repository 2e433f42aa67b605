import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { parseQuery } from '@chauffeur/contract/crash-query';
import fc from 'fast-check';
import {
  completeQuery,
  filterValueOf,
  isCrashFiltered,
  isNewOnly,
  readCrashFilters,
  statusOf,
  toCrashSearch,
  withNewOnly,
  withStatus,
  withValue,
} from './crash-filters.ts';

describe('crash filters', () => {
  it('default to open groups, and to all reports', () => {
    assert.deepEqual(readCrashFilters({}), {
      kind: 'crash',
      view: 'groups',
      query: 'is:open',
      sort: 'last_seen',
    });
    assert.deepEqual(readCrashFilters({ view: 'reports' }), {
      kind: 'crash',
      view: 'reports',
      query: '',
      sort: 'last_seen',
    });
    assert.equal(isCrashFiltered(readCrashFilters({})), false);
    assert.equal(isCrashFiltered(readCrashFilters({ q: '' })), false);
    assert.equal(isCrashFiltered(readCrashFilters({ q: 'is:resolved' })), true);
  });

  it('survive a round trip through the URL', () => {
    for (const url of [
      {},
      { q: 'is:resolved os:linux', sort: 'reports' },
      { q: '' },
      { view: 'reports' },
      { view: 'reports', q: 'metadata.gpu:"RTX 3060"' },
      { view: 'reports', q: 'is:open' },
      { kind: 'error', view: 'reports' },
    ]) {
      const entries = Object.entries(toCrashSearch(readCrashFilters(url))).filter(([, value]) => value !== undefined);
      assert.deepEqual(Object.fromEntries(entries), url);
    }
  });

  it('show reports for filters that groups do not have', () => {
    for (const q of ['message:dark', 'os:linux message:"dark room"'])
      assert.equal(readCrashFilters({ q }).view, 'reports');
    assert.equal(readCrashFilters({ q: 'render::' }).view, 'groups');
  });

  it('ignore invalid values', () => {
    const search = { view: 'x', sort: 'y', q: ` ${'a'.repeat(2000)}` };
    assert.deepEqual(readCrashFilters(search), {
      kind: 'crash',
      view: 'groups',
      query: 'a'.repeat(1000),
      sort: 'last_seen',
    });
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

const KNOWN = { os: ['windows', 'linux'], version: ['1.0', '1.1 beta'], assigned: ['me', 'Kim Park'] };

/** Completes at the `|`, and returns the labels. */
function labelsAt(marked: string): string[] {
  const cursor = marked.indexOf('|');
  return completeQuery(marked.replace('|', ''), cursor, KNOWN).options.map(({ label }) => label);
}

/** The query after the first option was chosen. */
function chosenAt(marked: string): string {
  const cursor = marked.indexOf('|');
  const query = marked.replace('|', '');
  const { from, to, options } = completeQuery(query, cursor, KNOWN);
  return query.slice(0, from) + (options[0]?.insert ?? '') + query.slice(to);
}

describe('the completion of a query', () => {
  test('offers filters for a word', () => {
    assert.ok(labelsAt('|').includes('is:'));
    assert.deepEqual(labelsAt('re|'), ['reason:', 'reports:']);
    assert.deepEqual(labelsAt('is:open -ve|'), ['version:']);
    assert.deepEqual(labelsAt('Render|'), []);
    assert.equal(chosenAt('is:open as|'), 'is:open assigned:');
  });

  test('offers the values of a filter', () => {
    assert.ok(labelsAt('is:|').includes('unassigned'));
    assert.deepEqual(labelsAt('priority:h|'), ['high']);
    assert.deepEqual(labelsAt('os:|'), ['windows', 'linux']);
    assert.deepEqual(labelsAt('os:windows,l|'), ['linux']);
    assert.deepEqual(labelsAt('version:>=1.1|'), ['1.1 beta']);
    assert.deepEqual(labelsAt('assigned:"kim|'), ['Kim Park']);
    assert.deepEqual(labelsAt('reports:|'), []);
    assert.deepEqual(labelsAt('os:linux|'), []);
    assert.equal(chosenAt('assigned:k| is:open'), 'assigned:"Kim Park"  is:open');
    assert.equal(chosenAt('version:>=1.1|'), 'version:>="1.1 beta" ');
  });

  test('never leads to a problem that was not there', () => {
    const query = fc.string({ maxLength: 20, unit: fc.constantFrom(...'is:o,-" re') });
    fc.assert(
      fc.property(query, fc.nat(20), (text, at) => {
        const cursor = Math.min(at, text.length);
        const { from, to, options } = completeQuery(text, cursor, KNOWN);
        assert.ok(from <= to && to <= text.length && from <= cursor);
        if (parseQuery(text).problems.length > 0) return;
        for (const { insert } of options.filter((option) => !option.insert.endsWith(':')))
          assert.deepEqual(parseQuery(text.slice(0, from) + insert + text.slice(to)).problems, []);
      }),
    );
  });
});
