import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseQuery } from '@chauffeur/contract/crash-query';
import fc from 'fast-check';
import { completeQuery } from './complete-query.ts';

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
