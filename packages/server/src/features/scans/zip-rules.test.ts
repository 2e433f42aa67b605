import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GIB, LIMITS } from '@chauffeur/contract/limits';
import type { ZipDirectory, ZipEntry } from './zip-entry.ts';
import { judgeDirectory, ZIP_RULES } from './zip-rules.ts';

type Claim = Partial<Omit<ZipEntry, 'names'>> & { path: string; alias?: string };

/** A directory of entries that lie one behind the other, but for what they claim. */
function directory(claims: readonly Claim[], head: Partial<ZipDirectory> = {}): ZipDirectory {
  let end = 0;
  const entries = claims.map(({ alias, ...claim }): ZipEntry => {
    const rawName = Buffer.from(claim.path);
    const sized = { packedSize: 10, size: 10, method: 0, ...claim };
    const offset = claim.offset ?? end;
    end = offset + 30 + rawName.length + sized.packedSize;
    const names = alias === undefined ? [claim.path] : [claim.path, alias];
    return { type: 'file', flags: 0, crc32: 0, ...sized, names, rawName, offset };
  });
  return { fileSize: end + 100, start: end, entryCount: entries.length, entries, ...head };
}

/** The name of the rule that refuses. */
function refusal(claims: readonly Claim[], head: Partial<ZipDirectory> = {}): string | null {
  return ZIP_RULES.find((rule) => rule.judge(directory(claims, head)) !== null)?.name ?? null;
}

describe('judgeDirectory', () => {
  it('takes an ordinary zip', () => {
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
    assert.equal(
      judgeDirectory(directory([{ path: 'a/../../evil\u202E.exe' }])),
      'The .zip’s entry “a/../../evil?.exe” leads out of the archive; zip it without .. in its path.',
    );
  });

  it('refuses too many entries before it looks at any', () => {
    assert.equal(refusal([], { entryCount: LIMITS.zipEntries + 1 }), 'too-many-entries');
  });

  it('refuses a zip without a file', () => {
    assert.equal(refusal([]), 'no-file');
    assert.equal(refusal([{ path: 'a/', type: 'folder', size: 0, packedSize: 0 }]), 'no-file');
  });

  it('refuses names that cannot be read', () => {
    for (const path of ['', 'a\0.png', 'a\uFFFD']) assert.equal(refusal([{ path }]), 'unreadable-name');
  });

  it('refuses a name that no system takes', () => {
    assert.equal(refusal([{ path: 'ä/'.repeat(1366) }]), 'long-name');
    assert.equal(refusal([{ path: 'a/'.repeat(2047) }]), null);
  });

  it('refuses absolute paths of every system', () => {
    for (const path of ['/etc/passwd', 'C:\\a', 'c:/a', 'C:a', '\\\\server\\share', '\\a']) {
      assert.equal(refusal([{ path }]), 'absolute-path');
    }
  });

  it('refuses backslashes and ..', () => {
    assert.equal(refusal([{ path: 'a\\b' }]), 'backslash');
    for (const path of ['..', '../a', 'a/../b', 'a/..']) assert.equal(refusal([{ path }]), 'parent-folder');
  });

  it('judges every name that an unpacker may read', () => {
    assert.equal(refusal([{ path: 'a', alias: '../a' }]), 'parent-folder');
    assert.equal(refusal([{ path: 'a', alias: 'b' }, { path: 'b' }]), 'duplicate-name');
  });

  it('refuses two entries of one name, also as a folder and written in another way', () => {
    for (const path of ['a/b', 'a/b/', './a/b', 'a//b', 'a/./b']) {
      assert.equal(refusal([{ path: 'a/b' }, { path, size: 0, packedSize: 0 }]), 'duplicate-name');
    }
  });

  it('refuses what cannot be scanned', () => {
    assert.equal(refusal([{ path: 'a', flags: 1 }]), 'encrypted');
    assert.equal(refusal([{ path: 'a', flags: 0x2000 }]), 'encrypted');
    for (const method of [1, 9, 12, 14, 93, 99]) assert.equal(refusal([{ path: 'a', method }]), 'unknown-compression');
  });

  it('refuses sizes and types that contradict themselves', () => {
    assert.equal(refusal([{ path: 'a', size: 11 }]), 'lying-size');
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

  it('refuses entries that share bytes with each other or the directory', () => {
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

  it('refuses what unpacks to over 50 GB or over 200 times the zip', () => {
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
});
