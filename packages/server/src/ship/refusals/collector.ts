// Collects in memory what one process has refused, until it is written. Its size has a limit, as everything in it is
// chosen by strangers.
//
// A game is only known to exist once its counts were written. Games that were, always get a place; of other ids, which
// may be random, a limited number does.

export type RefusalKind = 'report' | 'event';

/** What was refused of a game since the last write, with one build id. */
export type RefusedBuild = {
  readonly gameId: string;
  readonly kind: RefusalKind;
  /** The result of `showRef`; empty for the rest. */
  readonly buildRef: string;
  /** Several ids that are past the limit, counted together. */
  readonly isRest: boolean;
  count: number;
  readonly firstAt: Date;
  lastAt: Date;
};

export type Refusal = Pick<RefusedBuild, 'gameId' | 'kind' | 'buildRef' | 'count'>;

/** The most distinct build ids of a game, in one write and on one day. */
export const MAX_REFS = 20;
const MAX_NEW_GAMES = 500;
const MAX_EXISTING_GAMES = 1000;

type OfGame = { readonly refs: Set<string>; readonly entries: Map<string, RefusedBuild> };

export class RefusalCollector {
  #games = new Map<string, OfGame>();
  #newGames = 0;
  /** The games of the last writes, the oldest first. */
  readonly #existing = new Set<string>();

  get isEmpty(): boolean {
    return this.#games.size === 0;
  }

  note({ gameId, kind, buildRef, count }: Refusal, now: Date): void {
    const game = this.#games.get(gameId) ?? this.#addGame(gameId);
    if (game === undefined) return;
    const isRest = !game.refs.has(buildRef) && game.refs.size >= MAX_REFS;
    if (!isRest) game.refs.add(buildRef);
    const key = isRest ? kind : `${kind} ${buildRef}`;
    const entry = game.entries.get(key);
    if (entry === undefined) {
      const shown = isRest ? '' : buildRef;
      game.entries.set(key, { gameId, kind, buildRef: shown, isRest, count, firstAt: now, lastAt: now });
    } else {
      entry.count += count;
      entry.lastAt = now;
    }
  }

  /** Returns what was collected, and begins again. */
  take(): RefusedBuild[] {
    const entries = [...this.#games.values()].flatMap((game) => [...game.entries.values()]);
    this.#games = new Map();
    this.#newGames = 0;
    return entries;
  }

  /** Called after a write with the games in it that exist. */
  confirm(gameIds: Iterable<string>): void {
    for (const gameId of gameIds) {
      this.#existing.delete(gameId);
      this.#existing.add(gameId);
    }
    for (const gameId of this.#existing.keys().take(Math.max(0, this.#existing.size - MAX_EXISTING_GAMES)))
      this.#existing.delete(gameId);
  }

  #addGame(gameId: string): OfGame | undefined {
    if (!this.#existing.has(gameId)) {
      if (this.#newGames >= MAX_NEW_GAMES) return undefined;
      this.#newGames += 1;
    }
    const game: OfGame = { refs: new Set(), entries: new Map() };
    this.#games.set(gameId, game);
    return game;
  }
}
