// Channels by platform: which rows and columns the grid has, and what stands in each cell.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listChannels } from '@chauffeur/contract/operations/channels';
import type { PlatformWords } from '@chauffeur/contract/platform-words';
import { comparePlatforms } from '../../ui/platforms.ts';

export type Place = OutputOf<typeof listChannels>['channels'][number];
/** A place whose build was deleted. */
export type Emptied = OutputOf<typeof listChannels>['emptied'][number];

/** Those that mean something to the service, from the most to the fewest people; they stand in front of others. */
const KNOWN = ['stable', 'beta', 'dev'];

export function compareChannels(a: string, b: string): number {
  const rank = (channel: string) => (KNOWN.includes(channel) ? KNOWN.indexOf(channel) : KNOWN.length);
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}

/** The known ones and those in use, in their order. */
export function channelNames(places: readonly Pick<Place, 'channel'>[]): string[] {
  return [...new Set([...KNOWN, ...places.map(({ channel }) => channel)])].sort(compareChannels);
}

export type Grid<P extends PlatformWords> = {
  readonly platforms: readonly PlatformWords[];
  /** A cell for each platform, in their order; null where the channel never pointed at anything. */
  readonly rows: readonly { readonly channel: string; readonly cells: readonly (P | null)[] }[];
};

type Somewhere = PlatformWords & { channel: string };

/** `emptied` have their rows and columns, too, with nothing in their cells. */
export function gridOf<P extends Somewhere>(places: readonly P[], emptied: readonly Somewhere[] = []): Grid<P> {
  const keyOf = ({ os, arch }: PlatformWords) => `${os} ${arch}`;
  const all: readonly Somewhere[] = [...places, ...emptied];
  const platforms = [...new Map(all.map(({ os, arch }) => [keyOf({ os, arch }), { os, arch }])).values()];
  platforms.sort(comparePlatforms);
  const cell = (channel: string, platform: PlatformWords) =>
    places.find((place) => place.channel === channel && keyOf(place) === keyOf(platform)) ?? null;
  const rows = channelNames(all).map((channel) => ({
    channel,
    cells: platforms.map((platform) => cell(channel, platform)),
  }));
  return { platforms, rows };
}
