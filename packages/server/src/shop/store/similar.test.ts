import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rankSimilar } from './similar.ts';

const game = (game_id: string, shared: number, day: number) => ({
  game_id,
  shared,
  published_at: new Date(Date.UTC(2026, 10, day)),
});

it('shared tags come first, then health, then the last published', () => {
  const games = [game('old', 1, 1), game('new', 1, 9), game('bad', 2, 9), game('good', 2, 1), game('unknown', 2, 5)];
  const bands = new Map([
    ['bad', 'problematic'],
    ['good', 'healthy'],
  ] as const);
  assert.deepEqual(rankSimilar(games, bands), ['good', 'unknown', 'bad', 'new', 'old']);
});

it('games that are equal are in a fixed order', () => {
  const equal = [game('c', 1, 1), game('a', 1, 1), game('b', 1, 1)];
  assert.deepEqual(rankSimilar(equal, new Map()), ['a', 'b', 'c']);
});
