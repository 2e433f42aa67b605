import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStartPage } from './start-page.ts';

test('begins with the index.html that lies highest', () => {
  assert.equal(findStartPage(['help/index.html', 'index.html', 'game.js']), 'index.html');
  assert.equal(findStartPage(['Walk/docs/index.html', 'Walk/Index.HTML', 'Walk/game.wasm']), 'Walk/Index.HTML');
});

test('begins with the only page at the top, where an engine names it like the game', () => {
  assert.equal(findStartPage(['Small Walk.html', 'Small Walk.pck', 'data/credits.html']), 'Small Walk.html');
});

test('has no beginning where there is none, or two of equal rank', () => {
  assert.equal(findStartPage(['game.exe']), null);
  assert.equal(findStartPage([]), null);
  assert.equal(findStartPage(['a/index.html', 'b/index.html']), null);
  assert.equal(findStartPage(['one.html', 'two.html']), null);
});
