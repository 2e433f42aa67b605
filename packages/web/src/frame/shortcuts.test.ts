import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pressKey } from './shortcuts.ts';

const SHORTCUTS = [
  { name: 'help', keys: ['?'], description: '' },
  { name: 'builds', keys: ['g', 'b'], description: '' },
  { name: 'channels', keys: ['g', 'c'], description: '' },
] as const;

/** The name of the shortcut that each key completes. */
function press(...keys: string[]): (string | undefined)[] {
  let pressed: readonly string[] = [];
  return keys.map((key) => {
    const result = pressKey(SHORTCUTS, pressed, key);
    pressed = result.pressed;
    return result.match?.name;
  });
}

describe('pressKey', () => {
  it('matches shortcuts of one key and of two', () => {
    assert.deepEqual(press('?', 'g', 'c', 'g', 'b'), ['help', undefined, 'channels', undefined, 'builds']);
  });

  it('starts over with the last key when a sequence does not match', () => {
    assert.deepEqual(press('g', '?', 'b'), [undefined, 'help', undefined]);
    assert.deepEqual(press('g', 'x', 'g', 'g', 'b'), [undefined, undefined, undefined, undefined, 'builds']);
  });
});
