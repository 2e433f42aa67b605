import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { placeFunctions } from './crash-facts.ts';

const frame = (name: string | null, file: string | null = null, line: number | null = null) => ({
  function: name,
  file,
  line,
});

describe('the functions of an alert', () => {
  test('are in the order of the stack, with the places of their frames', () => {
    const frames = [
      frame('raise', 'raise.c', 51),
      frame('Door::open(int)', 'C:\\Users\\ann\\game\\src\\door.cc', 14),
      frame('Level::load', 'src/level.cc'),
      frame(null),
    ];
    assert.deepEqual(placeFunctions(['Level::load', 'Door::open', 'Door'], frames), [
      'Door::open (door.cc:14)',
      'Level::load (level.cc)',
      'Door',
    ]);
  });

  test('have no places without frames', () => {
    assert.deepEqual(placeFunctions(['b', 'a'], []), ['b', 'a']);
    assert.deepEqual(placeFunctions([], [frame('a', 'a.cc', 1)]), []);
  });
});
