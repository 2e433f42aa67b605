import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTags } from './tags.ts';

describe('readTags', () => {
  it('parts them by commas, in lower case, each once', () => {
    assert.deepEqual(readTags(' Puzzle, two  players,puzzle,, '), { tags: ['puzzle', 'two-players'], problem: null });
  });

  it('says which cannot be, and when there are too many', () => {
    assert.match(readTags('ok, größe').problem ?? '', /^“größe”/);
    assert.match(readTags('a,b,c,d,e,f,g,h,i,j,k').problem ?? '', /At most 10/);
    assert.equal(readTags('a,b,c,d,e,f,g,h,i,j').problem, null);
  });
});
