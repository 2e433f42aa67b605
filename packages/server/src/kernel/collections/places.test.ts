import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlaces } from './places.ts';

test('places are taken in order, and an owner who has its share waits for its own', async () => {
  const places = createPlaces({ all: 3, ofOne: 2, waitMs: 60_000 });
  const entered: string[] = [];
  const enter = async (name: string, owner: string) => {
    const leave = await places.enter(owner);
    entered.push(name);
    return leave!;
  };
  const [first] = await Promise.all([enter('a1', 'a'), enter('a2', 'a')]);
  const third = enter('a3', 'a');
  const other = await enter('b1', 'b');
  const later = enter('b2', 'b');
  assert.deepEqual(entered, ['a1', 'a2', 'b1']);
  other();
  // A place that is left twice isn't free twice.
  other();
  await later;
  assert.deepEqual(entered, ['a1', 'a2', 'b1', 'b2']);
  first();
  await third;
  assert.deepEqual(entered, ['a1', 'a2', 'b1', 'b2', 'a3']);
});

test('a wait ends without a place, which the next one then gets', async () => {
  const places = createPlaces({ all: 1, ofOne: 1, waitMs: 10 });
  const leave = await places.enter('a');
  assert.equal(await places.enter('b'), null);
  leave!();
  assert.notEqual(await places.enter('c'), null);
});
