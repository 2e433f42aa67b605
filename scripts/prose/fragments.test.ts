// Tests of the comments that the prose check reports as fragments.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findFragments } from './fragments.ts';

const found = (text: string, isSql = false) => findFragments(text, isSql).map((use) => [use.line, use.text]);

describe('findFragments', () => {
  it('reports comments without a subject, in all forms', () => {
    const code = `/** Of the head. */
const length = 4; // In bytes; at most 4.

// Without the folders
// of the build machine.
const name = '';
/**
 * For readers of the list: a name.
 */
{/* As while the server restarts. */}`;
    assert.deepEqual(found(code), [
      [1, 'Of the head'],
      [2, 'In bytes'],
      [4, 'Without the folders of the build machine'],
      [7, 'For readers of the list'],
      [10, 'As while the server restarts'],
    ]);
  });

  it('reports a phrase that goes on after a comma', () => {
    assert.deepEqual(found('// Of the file, which may be compressed. It is small.'), [
      [1, 'Of the file, which may be compressed'],
    ]);
    assert.deepEqual(found('/** In order, so that processes wait in turn. */'), [
      [1, 'In order, so that processes wait in turn'],
    ]);
  });

  it('reports comments of SQL', () => {
    assert.deepEqual(found('select 1 -- By the id.\n', true), [[1, 'By the id']]);
    assert.deepEqual(found('select 1 -- By the id.\n'), []);
  });

  it('accepts a sentence that begins with a preposition, which has a comma', () => {
    assert.deepEqual(found('// In large folders, modules are found by name.'), []);
    assert.deepEqual(found('/**\n * For a caller without access,\n * nothing is read.\n */'), []);
  });

  it('accepts other beginnings, later sentences, and what only looks like a comment', () => {
    assert.deepEqual(found('// Forwards the request. In bytes.'), []);
    assert.deepEqual(found("const url = 'https://a.example/For';\nconst glob = 'src/**/*.ts';"), []);
    assert.deepEqual(found('// biome-ignore lint/a11y/useSemanticElements: for a group'), []);
  });
});
