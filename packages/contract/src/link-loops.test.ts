import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLinkLoop, type Link } from './link-loops.ts';

const linksOf = (links: Readonly<Record<string, string>>): Link[] =>
  Object.entries(links).map(([path, target]) => ({ path, target }));

test('links may point elsewhere, lead through other links, or be dangling', () => {
  for (const links of [
    { 'libfoo.so': 'libfoo.so.1', 'libfoo.so.1': 'libfoo.so.1.2' },
    { 'A.framework/Versions/Current': 'A', 'A.framework/A': 'Versions/Current/A' },
    { 'a/b': '../c', c: 'd/e', 'd/e': '../nowhere' },
    { Game: 'game' },
    { 'x/one': '../y/two', 'y/two': 'three' },
  ])
    assert.equal(findLinkLoop(linksOf(links)), null, JSON.stringify(links));
});

test('a link that leads back to itself is found: directly, through other links and through their folders', () => {
  for (const links of [
    { a: 'a' },
    { a: './a' },
    { a: 'b', b: 'a' },
    { 'x/a': '../y/b', 'y/b': '../z', z: 'x/a' },
    { a: 'a/b/c' },
    { a: 'b/x', b: 'a/y' },
  ])
    assert.match(findLinkLoop(linksOf(links))?.problem ?? '', /leads back to itself/, JSON.stringify(links));
});

test('a link to a folder that contains it is found', () => {
  for (const links of [
    { a: '.' },
    { 'a/b': '..' },
    { 'a/b': '../../a' },
    { 'a/b/c': '../../d', d: 'a' },
    { 'x/y': '.' },
  ])
    assert.match(findLinkLoop(linksOf(links))?.problem ?? '', /contains the link/, JSON.stringify(links));
});

test("names are compared as the build's OS compares them", () => {
  const links = linksOf({ Game: 'game' });
  assert.equal(findLinkLoop(links, 'linux'), null);
  for (const os of ['windows', 'macos'] as const) assert.notEqual(findLinkLoop(links, os), null);
});

test('a chain may be as long as Linux allows', () => {
  const chain = (length: number) =>
    linksOf(Object.fromEntries(Array.from({ length }, (_, no) => [`l${no}`, `l${no + 1}`])));
  assert.equal(findLinkLoop(chain(40)), null);
  assert.match(findLinkLoop(chain(41))?.problem ?? '', /more than 40/);
  assert.match(findLinkLoop(chain(10_000))?.problem ?? '', /more than 40/);
  assert.match(findLinkLoop(chain(10_000).reverse())?.problem ?? '', /more than 40/);
  const wide = (length: number) =>
    linksOf({ a: Array(length).fill('b').join('/'), b: 'x', 'x/b': '../y', 'y/b': '../x' });
  assert.equal(findLinkLoop(wide(39)), null);
  assert.match(findLinkLoop(wide(40))?.problem ?? '', /more than 40/);
});

test('malicious links that would take too long to follow are refused', () => {
  const links = Array.from({ length: 4000 }, (_, no) => ({ path: `l${no}`, target: `${'a/'.repeat(2000)}${no}` }));
  assert.match(findLinkLoop(links)?.problem ?? '', /nested too deeply/);
});
