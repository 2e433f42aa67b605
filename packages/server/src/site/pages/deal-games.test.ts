import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dealGames } from './deal-games.ts';

const shelf = (name: string, uids: string) => ({
  name,
  games: uids
    .split(' ')
    .filter(Boolean)
    .map((game_uid) => ({ game_uid })),
});
const deal = (shelves: readonly ReturnType<typeof shelf>[], featured?: string) =>
  dealGames(shelves, featured).map(({ name, games }) => `${name}: ${games.map(({ game_uid }) => game_uid).join(' ')}`);

it('shows each game once, and fills all shelves from what they have in common', () => {
  const games = 'a b c d e f g h i j k l m n o p';
  assert.deepEqual(deal([shelf('tonight', games), shelf('new', games), shelf('updated', games)]), [
    'tonight: a d g j m p',
    'new: b e h k n',
    'updated: c f i l o',
  ]);
});

it('leaves out the featured game', () => {
  assert.deepEqual(deal([shelf('new', 'a b c d e f')], 'c'), ['new: a b d e f']);
  assert.deepEqual(deal([shelf('new', 'a')], 'a'), []);
});

it('keeps the order of each shelf', () => {
  assert.deepEqual(deal([shelf('tonight', 'a b c d e f g h'), shelf('new', 'h g f e d c b a')]), [
    'tonight: a b c d',
    'new: h g f e',
  ]);
});

it('leaves out shelves that would have fewer than four games, first those whose games others have too', () => {
  const few = [
    shelf('tonight', 'a b c'),
    shelf('unheard', 'a b c d e'),
    shelf('new', 'a b c d e f'),
    shelf('updated', 'b c d e f'),
  ];
  assert.deepEqual(deal(few), ['new: a b c d e f']);
  assert.deepEqual(deal([shelf('tonight', 'a b c d'), shelf('new', 'e f g h'), shelf('updated', 'a h')]), [
    'tonight: a b c d',
    'new: e f g h',
  ]);
});

it('keeps the last shelf with a single game', () => {
  assert.deepEqual(deal([shelf('tonight', ''), shelf('new', 'a')]), ['new: a']);
  assert.deepEqual(deal([]), []);
});
