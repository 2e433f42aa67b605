import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactUserPaths } from '@chauffeur/contract/home-folders';
import fc from 'fast-check';
import { shortenSourcePath } from './paths.ts';

describe('shortenSourcePath', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['/builds/studio/game/src/render/layout.cc', 'src/render/layout.cc'],
    [
      'D:\\build\\++UE5\\Sync\\Engine\\Source\\Runtime\\Core\\Private\\HAL\\Memory.cpp',
      'Source/Runtime/Core/Private/HAL/Memory.cpp',
    ],
    ['/builds/src/third_party/zlib/deflate/inflate.c', 'third_party/zlib/deflate/inflate.c'],
    ['/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/glam-0.29.0/src/vec3.rs', 'glam-0.29.0/src/vec3.rs'],
    ['/var/lib/buildkit/one/two/godot/core/object/object.cpp', 'core/object/object.cpp'],
    ['/home/ann/main.c', 'main.c'],
    ['/home/game/../ann/main.c', 'main.c'],
    ['/ /home/>/../src', ''],
    ['/home/ann/src/main.c', 'src/main.c'],
    ['C:\\Users\\Ann Lee\\Desktop\\Assets\\Scripts\\Player.cs', 'Assets/Scripts/Player.cs'],
    ['C:\\main.c', 'main.c'],
    ['/srv/build/../game/./src/a.c', 'game/src/a.c'],
    ['git:github.com/studio/game:src/render/main.cc:4f2a1b', 'src/render/main.cc'],
    ['main.c', 'main.c'],
    ['', ''],
  ];
  for (const [path, short] of cases) {
    it(`shortens ${JSON.stringify(path)} to ${JSON.stringify(short)}`, () => {
      assert.equal(shortenSourcePath(path), short);
    });
  }

  it('does not change a path that it has shortened', () => {
    const part = fc.oneof(
      fc.constantFrom('src', 'home', 'ann', '..', 'C:', 'Users', 'a b'),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom('/', '\\'), (parts, separator) => {
        const once = shortenSourcePath(separator + parts.join(separator));
        assert.equal(shortenSourcePath(once), once);
      }),
    );
  });
});

describe('redactUserPaths', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['/home/ann/game/libgame.so', '/home/<user>/game/libgame.so'],
    ['cannot open "/Users/ann/Library/x.sav": no space', 'cannot open "/Users/<user>/Library/x.sav": no space'],
    ['C:\\Users\\Ann Lee\\AppData\\Local\\g.exe', 'C:\\Users\\<user>\\AppData\\Local\\g.exe'],
    ['C:\\\\Users\\\\ann\\\\g.exe', 'C:\\\\Users\\\\<user>\\\\g.exe'],
    ['c:/users/ann is not a folder', 'c:/users/<user> is not a folder'],
    ['C:\\Documents and Settings\\ann\\x', 'C:\\Documents and Settings\\<user>\\x'],
    ['Z:\\home\\ann\\.steam', 'Z:\\home\\<user>\\.steam'],
    ['/mnt/c/Users/ann/x and /run/media/bob/disk', '/mnt/c/Users/<user>/x and /run/media/<user>/disk'],
    ['file:///home/ann/x', 'file:///home/<user>/x'],
    ['--save=/var/home/ann', '--save=/var/home/<user>'],
  ];
  for (const [text, redacted] of cases) it(`writes ${redacted}`, () => assert.equal(redactUserPaths(text), redacted));

  for (const text of ['src/home/menu.cc', '/usr/lib/libc.so.6', 'C:\\Windows\\System32\\ntdll.dll', 'users: 3', '']) {
    it(`does not change ${JSON.stringify(text)}`, () => assert.equal(redactUserPaths(text), text));
  }

  it('replaces the name of a home folder in any context', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{2,20}$/);
    const home = fc.constantFrom('/home/', '/Users/', 'C:\\Users\\', 'D:/Users/', '/mnt/d/Users/');
    fc.assert(
      fc.property(home, name, fc.constantFrom('/x', '\\x', '', ' x', ':1'), (before, owner, after) => {
        assert.equal(redactUserPaths(`open ${before}${owner}${after}`).replace(before, '').includes(owner), false);
      }),
    );
  });
});
