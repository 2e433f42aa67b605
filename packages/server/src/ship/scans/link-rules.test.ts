import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeBelowLinks, judgeLink, judgeLinkLoops } from './zip-rules.ts';

describe('judgeLink', () => {
  it('accepts links that stay inside the archive', () => {
    const inside = [
      ['libfoo.so', 'libfoo.so.1'],
      ['Game.app/Frameworks/A.framework/Versions/Current', 'A'],
      ['bin/x/link', '../../lib/./a.so'],
      ['a/b', '..'],
      ['link', '.'],
    ] as const;
    for (const [path, target] of inside) assert.equal(judgeLink(path, target), null, `${path} → ${target}`);
  });

  it('refuses links that go above the root', () => {
    for (const [path, target] of [
      ['a', '..'],
      ['./a', '..'],
      ['a/b', '../..'],
      ['x//y', '../../etc/passwd'],
    ] as const) {
      assert.match(judgeLink(path, target) ?? '', /leads out of the archive/, `${path} → ${target}`);
    }
  });

  it('refuses .. after a folder, which may be a link itself', () => {
    assert.match(judgeLink('c', 'd/up/..') ?? '', /\.\. after a folder/);
    assert.match(judgeLink('a/c', '../d/../e') ?? '', /\.\. after a folder/);
  });

  it('refuses absolute, Windows, empty and unreadable targets', () => {
    for (const target of [
      '/etc/passwd',
      'C:\\Windows',
      'c:x',
      '\\\\server\\share',
      'a\\..\\..\\b',
      '',
      'a\0b',
      '\uFFFD',
      'a\nb',
      'a\u202Eb',
    ]) {
      assert.notEqual(judgeLink('deep/er/link', target), null, target);
    }
  });
});

describe('judgeLinkLoops', () => {
  it('names the link that cannot be resolved and the reason', () => {
    const links = [
      { path: 'lib/a', target: 'b' },
      { path: 'lib/b', target: '../lib/a' },
    ];
    assert.equal(
      judgeLinkLoops(links),
      "The .zip's symbolic link “lib/a” leads back to itself. Remove it or change its target.",
    );
    assert.equal(judgeLinkLoops(links.slice(1)), null);
  });
});

describe('judgeBelowLinks', () => {
  it('refuses an entry below a link, in any letter case or Unicode form of its name', () => {
    assert.match(
      judgeBelowLinks(['a', 'Data/Über', 'data/u\u0308BER/x'], ['Data/Über']) ?? '',
      /below the symbolic link/,
    );
    assert.notEqual(judgeBelowLinks(['a/./b//c'], ['a/b']), null);
  });

  it('accepts entries next to a link, and names that start with its name', () => {
    assert.equal(judgeBelowLinks(['lib', 'lib-x/a', 'lib.d/a', 'libs/a', 'x/lib/a'], ['lib']), null);
    assert.equal(judgeBelowLinks(['a/b'], []), null);
  });
});
