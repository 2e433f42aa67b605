import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pressKey } from './shortcuts.ts';

const SHORTCUTS = [
  { name: 'help', keys: ['?'], says: '' },
  { name: 'builds', keys: ['g', 'b'], says: '' },
  { name: 'channels', keys: ['g', 'c'], says: '' },
] as const;

/** The names of what these keys do, one after the other. */
function press(...keys: string[]): (string | undefined)[] {
  let pressed: readonly string[] = [];
  return keys.map((key) => {
    const result = pressKey(SHORTCUTS, pressed, key);
    pressed = result.pressed;
    return result.found?.name;
  });
}

describe('pressKey', () => {
  it('finds what one key does, and what two in a row do', () => {
    assert.deepEqual(press('?', 'g', 'c', 'g', 'b'), ['help', undefined, 'channels', undefined, 'builds']);
  });

  it('forgets a beginning that goes on otherwise, and takes the key for itself', () => {
    assert.deepEqual(press('g', '?', 'b'), [undefined, 'help', undefined]);
    assert.deepEqual(press('g', 'x', 'g', 'g', 'b'), [undefined, undefined, undefined, undefined, 'builds']);
  });
});
