// Deals the games of shelves out, so that none is twice on the home page.

type Shelf = { readonly games: readonly { readonly game_uid: string }[] };

/** A shelf with fewer games looks abandoned. */
const MIN_ON_SHELF = 4;

/**
 * The shelves with the games that each one shows, in the same order. Shelves take turns to take their next game that
 * isn't shown yet, so a game that several have doesn't empty the later ones. While a shelf would have fewer than four,
 * the one whose games the others have too is left out; the last one stays, even with a single game.
 */
export function dealGames<Dealt extends Shelf>(shelves: readonly Dealt[], featuredUid?: string): Dealt[] {
  for (let kept = shelves; ; ) {
    const dealt = deal(kept, featuredUid);
    if (kept.length <= 1 || dealt.every(({ games }) => games.length >= MIN_ON_SHELF))
      return dealt.filter(({ games }) => games.length > 0);
    const redundant = findRedundant(kept);
    kept = kept.filter((shelf) => shelf !== redundant);
  }
}

function deal<Dealt extends Shelf>(shelves: readonly Dealt[], featuredUid: string | undefined): Dealt[] {
  const shown = new Set([featuredUid]);
  const piles = shelves.map(({ games }) => ({ waiting: [...games], taken: [] as Dealt['games'][number][] }));
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const { waiting, taken } of piles) {
      const next = waiting.findIndex(({ game_uid }) => !shown.has(game_uid));
      const [game] = next === -1 ? [] : waiting.splice(0, next + 1).slice(-1);
      if (game === undefined) continue;
      shown.add(game.game_uid);
      taken.push(game);
      isDone = false;
    }
  }
  return shelves.map((shelf, index) => ({ ...shelf, games: piles[index]!.taken }));
}

/** The shelf with the fewest games that no other has; of several, the last. */
function findRedundant<Dealt extends Shelf>(shelves: readonly Dealt[]): Dealt | undefined {
  const ownGames = (shelf: Dealt) => {
    const others = new Set(
      shelves.filter((each) => each !== shelf).flatMap(({ games }) => games.map((game) => game.game_uid)),
    );
    return shelf.games.filter(({ game_uid }) => !others.has(game_uid)).length;
  };
  return shelves.toReversed().sort((a, b) => ownGames(a) - ownGames(b))[0];
}
