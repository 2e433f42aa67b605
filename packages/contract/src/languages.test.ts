// The names of languages.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatLanguage, LANGUAGES } from './languages.ts';
import { GameFacts } from './operations/games.ts';
import { findProblem } from './validate.ts';

describe('languages', () => {
  test('every offered language is accepted and has a name', () => {
    for (const tag of LANGUAGES) {
      assert.equal(findProblem(GameFacts.properties.languages, [tag]), null, tag);
      assert.notEqual(formatLanguage(tag), tag);
    }
    assert.equal(formatLanguage('pt-BR'), 'Brazilian Portuguese');
  });

  test('other tags stay as they are', () => {
    for (const tag of ['xx', 'not a tag', '']) assert.equal(formatLanguage(tag), tag);
  });
});
