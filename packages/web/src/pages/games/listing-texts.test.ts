import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTags, writeWidgetCode } from './listing-texts.ts';

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

it('writes one frame, whatever the game is called', () => {
  assert.equal(
    writeWidgetCode('https://games.example.com/g/walk/widget?theme=dark', 'Walk'),
    '<iframe src="https://games.example.com/g/walk/widget?theme=dark" title="Walk" width="560" height="170" style="border: 0; max-width: 100%" loading="lazy"></iframe>',
  );
  const code = writeWidgetCode('https://games.example.com/g/walk/widget', '"><script>&amp;');
  assert.match(code, /title="&#34;&#62;&#60;script&#62;&#38;amp;"/);
});
