import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Os } from '@chauffeur/contract/identity';
import { GIB, LIMITS } from '@chauffeur/contract/limits';
import type { ZipDirectory, ZipEntry } from '../../kernel/zip/zip-entry.ts';
import { formatEntryName, judgeBelowLinks, judgeDirectory, judgeLink, judgeLinkLoops, ZIP_RULES } from './zip-rules.ts';

type Claim = Partial<Omit<ZipEntry, 'names'>> & { path: string; alias?: string };

/** A directory of consecutive entries, except for their explicit claims. */
function directory(claims: readonly Claim[], head: Partial<ZipDirectory> = {}): ZipDirectory {
  let end = 0;
  const entries = claims.map(({ alias, ...claim }): ZipEntry => {
    const rawName = Buffer.from(claim.path);
    const sized = { packedSize: 10, size: 10, method: 0, ...claim };
    const offset = claim.offset ?? end;
    end = offset + 30 + rawName.length + sized.packedSize;
    const names = alias === undefined ? [claim.path] : [claim.path, alias];
    return { type: 'file', mode: 0, isDosFolder: false, flags: 0, crc32: 0, ...sized, names, rawName, offset };
  });
  return { fileSize: end + 100, start: end, entryCount: entries.length, entries, ...head };
}

/** The name of the rule that refuses the zip. */
function refusal(claims: readonly Claim[], head: Partial<ZipDirectory> = {}, os?: Os): string | null {
  return ZIP_RULES.find((rule) => rule.judge(directory(claims, head), os) !== null)?.name ?? null;
}

describe('judgeDirectory', () => {
  it('accepts an ordinary zip', () => {
    const claims: Claim[] = [
      { path: './', type: 'folder', size: 0, packedSize: 0 },
      { path: 'data/', type: 'folder', size: 0, packedSize: 2, method: 8 },
      { path: 'data/...map', method: 8, size: 900 },
      { path: 'Data/..Map' },
      { path: 'libgame.so', type: 'symlink' },
    ];
    assert.equal(judgeDirectory(directory(claims)), null);
  });

  it('names the entry and the remedy', () => {
    assert.deepEqual(judgeDirectory(directory([{ path: 'a/../../evil\u202E.exe' }])), {
      rule: 'parent-folder',
      reason: 'The .zip entry “a/../../evil?.exe” leads out of the archive. Remove .. from its path.',
    });
  });

  it('refuses too many entries without reading any', () => {
    assert.equal(refusal([], { entryCount: LIMITS.zipEntries + 1 }), 'too-many-entries');
  });

  it('refuses a zip without a file', () => {
    assert.equal(refusal([]), 'no-file');
    assert.equal(refusal([{ path: 'a/', type: 'folder', size: 0, packedSize: 0 }]), 'no-file');
  });

  it('refuses what the updater would', () => {
    for (const path of [
      '.chauffeur/install.json',
      './.Chauffeur/a',
      `${'chauffeur'.slice(0, 6).toUpperCase()}~1/a`,
      '.chauffeur',
    ])
      assert.equal(refusal([{ path }]), 'updater-folder', path);
    for (const path of ['data/.chauffeur/a', '.chauffeurs', 'chauffeur.json']) assert.equal(refusal([{ path }]), null);
  });

  it('refuses names that cannot be read', () => {
    for (const path of ['', 'a\0.png', 'a\uFFFD']) assert.equal(refusal([{ path }]), 'unreadable-name');
  });

  it('refuses a name that is too long for every OS', () => {
    assert.equal(refusal([{ path: 'ä/'.repeat(1366) }]), 'long-name');
    assert.equal(refusal([{ path: 'a/'.repeat(2047) }]), null);
  });

  it('refuses absolute paths of every OS', () => {
    for (const path of ['/etc/passwd', 'C:\\a', 'c:/a', 'C:a', '\\\\server\\share', '\\a']) {
      assert.equal(refusal([{ path }]), 'absolute-path');
    }
  });

  it('refuses backslashes and ..', () => {
    assert.equal(refusal([{ path: 'a\\b' }]), 'backslash');
    for (const path of ['..', '../a', 'a/../b', 'a/..']) assert.equal(refusal([{ path }]), 'parent-folder');
  });

  it('checks every name that an unpacker may use', () => {
    assert.equal(refusal([{ path: 'a', alias: '../a' }]), 'parent-folder');
    assert.equal(refusal([{ path: 'a', alias: 'b' }, { path: 'b' }]), 'duplicate-name');
  });

  it('refuses two entries with the same path, also as a folder or in another spelling', () => {
    for (const path of ['a/b', 'a/b/', './a/b', 'a//b', 'a/./b']) {
      assert.equal(refusal([{ path: 'a/b' }, { path, size: 0, packedSize: 0 }]), 'duplicate-name');
    }
  });

  it('refuses content that cannot be scanned', () => {
    assert.equal(refusal([{ path: 'a', flags: 1 }]), 'encrypted');
    assert.equal(refusal([{ path: 'a', flags: 0x2000 }]), 'encrypted');
    for (const method of [1, 9, 12, 14, 93, 99]) assert.equal(refusal([{ path: 'a', method }]), 'unknown-compression');
  });

  it('refuses contradictory sizes and types', () => {
    assert.equal(refusal([{ path: 'a', size: 11 }]), 'contradictory-size');
    assert.equal(refusal([{ path: 'b' }, { path: 'a/', type: 'folder' }]), 'folder-with-content');
    assert.equal(
      refusal([{ path: 'b' }, { path: 'a', type: 'symlink', size: 0, packedSize: 0 }]),
      'link-without-target',
    );
    assert.equal(
      refusal([{ path: 'b' }, { path: 'a', type: 'symlink', size: 5000, packedSize: 5000 }]),
      'link-without-target',
    );
    assert.equal(refusal([{ path: 'a', type: 'symlink' }, { path: 'A/b' }]), 'below-link');
  });

  it('refuses entries that overlap each other or the directory', () => {
    assert.equal(refusal([{ path: 'a' }, { path: 'b', offset: 0 }]), 'overlap');
    assert.equal(
      refusal([
        { path: 'a', offset: 45 },
        { path: 'b', offset: 5 },
      ]),
      'overlap',
    );
    assert.equal(refusal([{ path: 'a' }], { start: 40 }), 'overlap');
    assert.equal(refusal([{ path: 'a' }], { start: 41 }), null);
  });

  it('refuses zips that unpack to over 50 GB or over 200 times their size', () => {
    const large = { method: 8, packedSize: GIB, size: 26 * GIB };
    assert.equal(
      refusal([
        { path: 'a', ...large },
        { path: 'b', ...large },
      ]),
      'unpacked-size',
    );
    assert.equal(refusal([{ path: 'a', method: 8, size: 2001 }], { fileSize: 10 }), 'ratio');
    assert.equal(refusal([{ path: 'a', method: 8, size: 2000 }], { fileSize: 10 }), null);
  });

  it('refuses devices, pipes and sockets', () => {
    for (const mode of [0o020644, 0o060644, 0o010644, 0o140644, 0o160000, 0o030000])
      assert.equal(refusal([{ path: 'a' }, { path: 'b', mode }]), 'special-file', mode.toString(8));
    for (const mode of [0, 0o644, 0o100755, 0o101777]) assert.equal(refusal([{ path: 'a', mode }]), null);
  });

  it('refuses files that would run with the rights of another user', () => {
    for (const mode of [0o104755, 0o102755, 0o106755, 0o4755]) assert.equal(refusal([{ path: 'a', mode }]), 'setuid');
    const folder = { path: 'd/', type: 'folder', size: 0, packedSize: 0 } as const;
    assert.equal(refusal([{ path: 'a' }, { ...folder, mode: 0o044755 }]), 'setuid');
    assert.equal(refusal([{ path: 'a' }, { ...folder, mode: 0o042755 }]), null);
  });

  it('refuses a path that is both a file and a folder', () => {
    assert.equal(refusal([{ path: 'a' }, { path: 'a/b' }]), 'file-and-folder');
    assert.equal(refusal([{ path: './x/a/b/c' }, { path: 'x//a' }]), 'file-and-folder');
    assert.equal(refusal([{ path: 'a', mode: 0o040755 }]), 'two-types');
    assert.equal(refusal([{ path: 'a', isDosFolder: true }]), 'two-types');
    assert.equal(refusal([{ path: 'b' }, { path: 'a/', type: 'symlink' }]), 'two-types');
    assert.equal(refusal([{ path: 'a' }, { path: 'a.b/c' }, { path: 'ab' }]), null);
    assert.equal(refusal([{ path: 'Data' }, { path: 'data/b' }]), null);
    assert.equal(refusal([{ path: 'Data' }, { path: 'data/b' }], {}, 'windows'), 'file-and-folder');
  });

  it('refuses line breaks, other control characters and direction marks', () => {
    for (const path of ['a\n', 'a\r\nb', 'Icon\r', 'a\tb', '\u001b[2Ja', 'photo\u202Egpj.exe', 'a\u2066b', 'a\u2028b'])
      assert.equal(refusal([{ path }]), 'control-character', JSON.stringify(path));
    for (const path of ['größe 🎮.txt', 'שלום.png', 'a b']) assert.equal(refusal([{ path }]), null);
  });

  it('refuses names that Windows cannot create, only for Windows builds', () => {
    for (const path of ['CON', 'data/nul.txt', 'ab:c', 'what?', 'end.', 'end /a', 'COM¹.log', 'data/LPT1/x']) {
      assert.equal(refusal([{ path }], {}, 'windows'), 'windows-name', path);
      for (const os of ['linux', 'macos', undefined] as const) assert.equal(refusal([{ path }], {}, os), null, path);
    }
    assert.equal(refusal([{ path: 'a', alias: 'aux' }], {}, 'windows'), 'windows-name');
    const { reason } = judgeDirectory(directory([{ path: 'data/Con.txt' }]), 'windows')!;
    assert.equal(reason, 'Windows cannot create the .zip entry “data/Con.txt”: CON is a device. Rename it.');
  });

  it('refuses files whose names differ only in case, for Windows and macOS builds', () => {
    const claims: Claim[] = [{ path: 'Data/Map' }, { path: 'data/map' }];
    for (const os of ['windows', 'macos'] as const) assert.equal(refusal(claims, {}, os), 'same-but-for-case');
    for (const os of ['linux', 'web', undefined] as const) assert.equal(refusal(claims, {}, os), null);
    const folder = { type: 'folder', size: 0, packedSize: 0 } as const;
    const folders: Claim[] = [{ path: 'Data/', ...folder }, { path: 'data/', ...folder }, { path: 'data/a' }];
    assert.equal(refusal(folders, {}, 'windows'), null);
    assert.match(
      judgeDirectory(directory(claims), 'macos')?.reason ?? '',
      /“data\/map” and “Data\/Map” are the same file on macOS/,
    );
  });

  it('refuses bytes before the first entry', () => {
    assert.equal(refusal([{ path: 'a', offset: 1 }]), 'leading-bytes');
    const [second, first] = [
      { path: 'a', offset: 100 },
      { path: 'b', offset: 0 },
    ];
    assert.equal(refusal([second, first], { start: 200 }), null);
  });

  it('refuses links whose targets exceed the memory limit', () => {
    const links = Array.from(
      { length: 4097 },
      (_, no): Claim => ({ path: `l${no}`, type: 'symlink', size: 4096, packedSize: 4096 }),
    );
    assert.equal(refusal([{ path: 'a' }, ...links]), 'long-targets');
    assert.equal(refusal([{ path: 'a' }, ...links.slice(1)]), null);
  });
});

it('keeps an ordinary name', () => {
  assert.equal(formatEntryName('data/größe 🎮.txt'), '“data/größe 🎮.txt”');
});

it('replaces unprintable characters and direction marks', () => {
  assert.equal(formatEntryName('a\0b\nc\u202Ed\u2028e\uD800'), '“a?b?c?d?e?”');
});

it('keeps both ends of a long name', () => {
  const shown = formatEntryName(`begin${'x'.repeat(70_000)}end.exe`);
  assert.match(shown, /^“beginx+…x+end\.exe”$/);
  assert.ok(shown.length <= 82);
});

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
