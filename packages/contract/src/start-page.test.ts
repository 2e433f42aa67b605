import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStartPage } from './start-page.ts';

test('the start page is the index.html with the shortest path', () => {
  assert.equal(findStartPage(['help/index.html', 'index.html', 'game.js']), 'index.html');
  assert.equal(findStartPage(['Walk/docs/index.html', 'Walk/Index.HTML', 'Walk/game.wasm']), 'Walk/Index.HTML');
});

test('the start page is the only page at the top level if an engine names it after the game', () => {
  assert.equal(findStartPage(['Small Walk.html', 'Small Walk.pck', 'data/credits.html']), 'Small Walk.html');
});

test('there is no start page without a candidate or with two of equal rank', () => {
  assert.equal(findStartPage(['game.exe']), null);
  assert.equal(findStartPage([]), null);
  assert.equal(findStartPage(['a/index.html', 'b/index.html']), null);
  assert.equal(findStartPage(['one.html', 'two.html']), null);
});
