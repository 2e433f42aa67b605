import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shortenSourcePath } from './source-path.ts';

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
