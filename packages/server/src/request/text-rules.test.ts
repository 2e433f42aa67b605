import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFilenameProblem } from './text-rules.ts';

test('accepts common file names', () => {
  for (const name of ['game.zip', 'Größe 🎮 (1).png', '100%.gif', 'a'.repeat(255)])
    assert.equal(findFilenameProblem(name), null);
});

const REFUSED: readonly (readonly [name: string, problem: RegExp])[] = [
  ['', /^filename: missing/],
  ['a'.repeat(256), /^filename: longer than 255 characters/],
  ['a/b.png', /^filename: contains characters/],
  ['a\\b.png', /^filename: contains characters/],
  ['a\u0000.png', /^filename: contains characters/],
  ['a\u007f.png', /^filename: contains characters/],
  ['\ufffd.png', /^filename: contains characters/],
  ['\ud800.png', /^filename: contains characters/],
];

for (const [name, problem] of REFUSED) {
  test(`refuses a file named ${JSON.stringify(name.slice(0, 20))}`, () =>
    assert.match(findFilenameProblem(name) ?? '', problem));
}
