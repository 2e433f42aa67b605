// Decides which games are on which shelf, and in which order those of a day are.
import { hash } from 'node:crypto';
import type { Arch, Os } from '@chauffeur/contract/identity';
import { GIB } from '@chauffeur/contract/limits';
import type { Band } from '@chauffeur/contract/operations/health';
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import type { LaunchFacts } from '../../analytics/events/events.ts';
import { DAY } from '../../kernel/clock.ts';

/** The download that `stable` offers on one platform. */
export type StableOffer = {
  readonly os: Os;
  readonly arch: Arch;
  /** The size of the file in bytes. */
  readonly size: number;
  /** When the offered build or file last changed. */
  readonly changed_at: Date;
};

/** A game that passed the listing check. */
export type Candidate = {
  readonly game_id: string;
  readonly published_at: Date;
  /** The downloads, of which there is at least one. */
  readonly offers: readonly StableOffer[];
};

export type ShelfRequest = {
  readonly shelf: ShelfName;
  /** Selects games with a download for this OS; undefined for any game. */
  readonly os: Os | undefined;
  readonly now: Date;
  /** The UTC day of `now`. */
  readonly day: string;
};

export const SHELF_LENGTH = 12;

/** The limits of the Unheard of shelf (spec: Shelves). */
const UNHEARD_DAYS = 60;
const UNHEARD_DEVICES = 200;
const UNHEARD_BOOT_DAYS = 30;

/** A size that downloads within an evening on an average connection. */
const TONIGHT_BYTES = GIB;

/** Whether the game has a download that matches the shelf and the requested OS. */
export function fits({ offers }: Candidate, { shelf, os }: ShelfRequest): boolean {
  return offers.some(
    (offer) => (os === undefined || offer.os === os) && (shelf !== 'tonight' || offer.size < TONIGHT_BYTES),
  );
}

/** A game with few devices whose first start is recent or has not happened yet. */
export function isUnheardOf({ devicesEver, firstBootOkAt }: LaunchFacts, now: Date): boolean {
  return (
    devicesEver < UNHEARD_DEVICES && (firstBootOkAt === null || now <= daysAfter(firstBootOkAt, UNHEARD_BOOT_DAYS))
  );
}

/** The earliest publication time for Unheard of. */
export function unheardSince(now: Date): Date {
  return daysAfter(now, -UNHEARD_DAYS);
}

function daysAfter(time: Date, days: number): Date {
  return new Date(time.getTime() + days * DAY);
}

/**
 * Orders the games of Tonight: games known to start come first, then games with too little data. Games known to have
 * problems are left out.
 */
export function bestFirst<Game extends { readonly game_id: string }>(
  games: readonly Game[],
  bands: ReadonlyMap<string, Band>,
): Game[] {
  const bandOf = ({ game_id }: Game) => bands.get(game_id) ?? 'unrated';
  const good = games.filter((game) => ['excellent', 'healthy'].includes(bandOf(game)));
  return [...good, ...games.filter((game) => bandOf(game) === 'unrated')];
}

/** The last change of an offer on any platform. */
export function changedAt(offers: readonly StableOffer[]): Date {
  return new Date(Math.max(...offers.map(({ changed_at }) => changed_at.getTime())));
}

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
    .map((game) => ({ game, order: hash('sha256', `${shelf} ${day} ${game.game_id}`) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ game }) => game);
}
