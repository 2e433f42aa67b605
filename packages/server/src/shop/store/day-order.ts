// The order of games on a shelf on one day: random, different each day, and the same in every process.
import { hash } from 'node:crypto';

/**
 * Sorts games by a hash of shelf, day and game (rendezvous hashing), a pure function that all processes agree on.
 * Adding or removing a game keeps the order of the others. Over time, every game is first equally often.
 */
export function dayOrder<Game extends { readonly game_id: string }>(
  shelf: string,
  day: string,
  games: readonly Game[],
): Game[] {
  return games
    .map((game) => ({ game, place: hash('sha256', `${shelf} ${day} ${game.game_id}`) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ game }) => game);
}
