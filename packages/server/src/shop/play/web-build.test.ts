import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { followLinks } from './web-build.ts';

const follow = (path: string, links: Record<string, string>) => followLinks(path, new Map(Object.entries(links)));

describe('followLinks', () => {
  it('follows a link to a file and to a folder, and links that lead to links', () => {
    assert.equal(follow('index.html', { 'index.html': 'Game.html' }), 'Game.html');
    assert.equal(follow('web/data/a.png', { 'web/data': '../shared' }), 'shared/a.png');
    assert.equal(follow('a', { a: 'b', b: './c' }), 'c');
    assert.equal(follow('web/lib/x.js', { 'web/lib': '.', 'web/x.js': '../y.js' }), 'y.js');
  });

  it('finds nothing where no link is on the way', () => {
    assert.equal(follow('a/b.js', {}), null);
    assert.equal(follow('a/b.js', { c: 'a' }), null);
  });

  it('stays inside the build, also where `..` follows a link to a folder', () => {
    assert.equal(follow('up/etc/passwd', { up: '..' }), null);
    assert.equal(follow('a/up', { 'a/up': '../../x' }), null);
    assert.equal(follow('a/x', { a: 'b/c', 'b/c/x': '../../d' }), 'd');
    assert.equal(follow('a/x', { a: 'b/c', 'b/c/x': '../../../d' }), null);
  });

  it('ends at circular links, and at chains that take too many steps', () => {
    assert.equal(follow('a', { a: 'a' }), null);
    assert.equal(follow('a', { a: 'b', b: 'a' }), null);
    assert.equal(follow('a/x', { a: 'a/b' }), null);
    const far = './'.repeat(2040);
    assert.equal(follow('a', { a: `${far}b`, b: 'c' }), 'c');
    assert.equal(follow('a', { a: `${far}b`, b: `${far}c`, c: `${far}d` }), null);
  });

  it('does not normalize the requested path', () => {
    for (const path of ['./a', 'a/', 'x/../a', '/a', '']) assert.equal(follow(path, { a: 'b' }), null, path);
  });
});
