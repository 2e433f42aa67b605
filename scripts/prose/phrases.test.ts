// Tests of the phrases that the prose check reports.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findPhrases, PHRASES } from './phrases.ts';

describe('findPhrases', () => {
  it('reports the line, the text and what to write instead', () => {
    assert.deepEqual(findPhrases('// Fine.\n// Read Once more in place of the cache.'), [
      { line: 2, text: 'Once more', replacement: 'again' },
      { line: 2, text: 'in place of', replacement: 'instead of' },
    ]);
  });

  it('reports names as well as prose', () => {
    const found = findPhrases('const MOST_BYTES = 1; sayBytes(MOST_BYTES); let mostRows; function sizeText() {}');
    assert.deepEqual(
      found.map(({ text }) => text),
      ['MOST_BYTES', 'MOST_BYTES', 'mostRows', 'sayBytes', 'function sizeText'],
    );
  });

  it('reports what is translated word by word', () => {
    const found = findPhrases(
      'A list that is no table belongs into a file of its own, in case that names are no words. It has its rows in tables of their own.',
    );
    assert.deepEqual(
      found.map(({ text }) => text),
      ['in case that', 'belongs into', 'is no table', 'are no words', 'of its own', 'of their own'],
    );
  });

  it('accepts what is similar and usual', () => {
    const text = `There is no scanner, and there are no rows if there was no report. The rows are no longer read.
      It is no more than a list. Images of their own size have one of its own addresses. None of its own is there.
      A channel of your own belongs in the list, in case someone asks.`;
    assert.deepEqual(findPhrases(text), []);
  });

  it('accepts ordinary words that contain a phrase', () => {
    assert.deepEqual(
      findPhrases('The most recent essay is kept, for good reason: maybe an owner who has a copy needs it.'),
      [],
    );
  });
});

it('every phrase pattern is global', () => {
  for (const { pattern } of PHRASES) assert.ok(pattern.global, String(pattern));
});
