// The order in which games stand on a shelf on one day: drawn anew each day, the same everywhere within it.
import { hash } from 'node:crypto';

/**
 * Sorts games by a hash of shelf, day and game (rendezvous hashing): a pure function of these, so that all processes agree. A game that
 * comes or goes leaves the others in their order. Over the days each game is as often in front as any other.
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
