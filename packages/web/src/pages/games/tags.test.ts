import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTags } from './tags.ts';

describe('readTags', () => {
  it('splits at commas, lowercases the tags and removes duplicates', () => {
    assert.deepEqual(readTags(' Puzzle, two  players,puzzle,, '), { tags: ['puzzle', 'two-players'], problem: null });
  });

  it('names an invalid tag, and reports too many tags', () => {
    assert.match(readTags('ok, größe').problem ?? '', /^“größe”/);
    assert.match(readTags('a,b,c,d,e,f,g,h,i,j,k').problem ?? '', /at most 10/);
    assert.equal(readTags('a,b,c,d,e,f,g,h,i,j').problem, null);
  });
});
