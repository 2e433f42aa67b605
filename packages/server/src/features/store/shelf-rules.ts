// Decides which games stand on which shelf.
import type { Arch, Os } from '@chauffeur/contract/identity';
import { GIB } from '@chauffeur/contract/limits';
import type { Band } from '@chauffeur/contract/operations/health';
import type { ShelfName } from '@chauffeur/contract/operations/shelves';
import { DAY } from '../../kernel/clock.ts';
import type { LaunchFacts } from '../events/events.ts';

/** What `stable` offers on one platform. */
export type StableOffer = {
  readonly os: Os;
  readonly arch: Arch;
  /** Bytes of the file. */
  readonly size: number;
  /** When players there last got another build or another file. */
  readonly changed_at: Date;
};

/** A game that passed the listing check. */
export type Candidate = {
  readonly game_id: string;
  readonly published_at: Date;
  /** At least one. */
  readonly offers: readonly StableOffer[];
};

export type Asked = {
  readonly shelf: ShelfName;
  /** Games with a download for it; undefined: any game. */
  readonly os: Os | undefined;
  readonly now: Date;
  /** UTC day of `now`. */
  readonly day: string;
};

export const SHELF_LENGTH = 12;

/** The spec's bounds of Unheard of. */
const UNHEARD_DAYS = 60;
const UNHEARD_DEVICES = 200;
const UNHEARD_BOOT_DAYS = 30;

/** Well within an evening on a middling line. */
const TONIGHT_BYTES = GIB;

/** Whether the game's downloads are such as the shelf takes, for the system that is asked for. */
export function fits({ offers }: Candidate, { shelf, os }: Asked): boolean {
  return offers.some(
    (offer) => (os === undefined || offer.os === os) && (shelf !== 'tonight' || offer.size < TONIGHT_BYTES),
  );
}

/** Few devices, and not long since the first player saw it running; one that nobody has started yet may wait for its player. */
export function isUnheardOf({ devicesEver, firstBootOkAt }: LaunchFacts, now: Date): boolean {
  return (
    devicesEver < UNHEARD_DEVICES && (firstBootOkAt === null || now <= daysAfter(firstBootOkAt, UNHEARD_BOOT_DAYS))
  );
}

/** The first moment of publication that is still new enough for Unheard of. */
export function unheardSince(now: Date): Date {
  return daysAfter(now, -UNHEARD_DAYS);
}

function daysAfter(time: Date, days: number): Date {
  return new Date(time.getTime() + days * DAY);
}

/** For tonight: games known to start come before those of which too little is known; those known to have trouble stay away. */
export function bestFirst<Game extends { readonly game_id: string }>(
  games: readonly Game[],
  bands: ReadonlyMap<string, Band>,
): Game[] {
  const bandOf = ({ game_id }: Game) => bands.get(game_id) ?? 'unrated';
  const good = games.filter((game) => ['excellent', 'healthy'].includes(bandOf(game)));
  return [...good, ...games.filter((game) => bandOf(game) === 'unrated')];
}

/** When what players of the game get last changed, on any platform. */
export function changedAt(offers: readonly StableOffer[]): Date {
  return new Date(Math.max(...offers.map(({ changed_at }) => changed_at.getTime())));
}
