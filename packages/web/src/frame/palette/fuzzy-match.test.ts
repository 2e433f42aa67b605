import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchItem } from './fuzzy-match.ts';

const NAMES = ['Crashes', 'Crash grouping', 'Channels', 'Danger zone', 'Owls of the North', 'Create game…'];

function best(query: string, context = ''): string[] {
  return NAMES.map((name) => ({ name, score: matchItem(query, { name, context }) }))
    .filter((match): match is { name: string; score: number } => match.score !== null)
    .toSorted((a, b) => b.score - a.score)
    .map(({ name }) => name);
}

describe('the palette', () => {
  it('prefers the start of a name, then of other words, then parts of words', () => {
    assert.deepEqual(best('cra sh'), ['Crashes', 'Crash grouping']);
    assert.deepEqual(best('cra'), ['Crashes', 'Crash grouping', 'Create game…']);
    assert.deepEqual(best('gr'), ['Crash grouping']);
    assert.deepEqual(best('nor'), ['Owls of the North']);
    assert.deepEqual(best('anne'), ['Channels']);
  });

  it('finds letters with gaps from the start of a word on', () => {
    assert.deepEqual(best('cg'), ['Crash grouping', 'Create game…']);
    assert.deepEqual(best('dgz'), ['Danger zone']);
    assert.deepEqual(best('xyz'), []);
  });

  it('takes several words in any order and case, also from the context', () => {
    assert.deepEqual(best('NORTH owls'), ['Owls of the North']);
    assert.deepEqual(best('edit zone', 'Edit'), ['Danger zone']);
    assert.deepEqual(best('zone nowhere', 'Edit'), []);
  });

  it('has all items without a query', () => {
    assert.equal(best('  ').length, NAMES.length);
  });
});
