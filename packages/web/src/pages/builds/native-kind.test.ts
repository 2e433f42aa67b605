import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatNativeKind } from './native-kind.ts';

describe('formatNativeKind', () => {
  for (const [name, kind] of [
    ['game.PDB', 'PDB'],
    ['physics.dll', 'Windows program or library'],
    ['libaudio.dylib', 'macOS library'],
    ['libgame.so', 'Linux or Android library'],
    ['libgame.so.1.2', 'Linux or Android library'],
    ['game.debug', 'Debug file'],
    ['game', 'Program or debug file'],
  ] as const)
    it(`names the kind of ${name}`, () => assert.equal(formatNativeKind(name), kind));
});
