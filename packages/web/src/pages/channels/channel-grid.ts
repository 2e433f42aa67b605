// Arranges the channels of a game in a grid by platform.
import type { Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listChannels } from '@chauffeur/contract/operations/channels';
import { comparePlatforms } from '../../ui/platforms.ts';

/** What one channel offers on one platform. */
export type Pointer = OutputOf<typeof listChannels>['channels'][number];
/** A channel on a platform whose build was deleted. */
export type Emptied = OutputOf<typeof listChannels>['emptied'][number];

/** The built-in channels, from the largest to the smallest audience. They come before custom ones. */
const BUILT_IN = ['stable', 'beta', 'dev'];

export function compareChannels(a: string, b: string): number {
  const rank = (channel: string) => (BUILT_IN.includes(channel) ? BUILT_IN.indexOf(channel) : BUILT_IN.length);
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}

/** The built-in channels and the ones in use, sorted. */
export function channelNames(pointers: readonly Pick<Pointer, 'channel'>[]): string[] {
  return [...new Set([...BUILT_IN, ...pointers.map(({ channel }) => channel)])].sort(compareChannels);
}

export type Grid<P extends Platform> = {
  readonly platforms: readonly Platform[];
  /** One cell for each platform, in the same order. Null if the channel has no build for it. */
  readonly rows: readonly { readonly channel: string; readonly cells: readonly (P | null)[] }[];
};

/** A channel on a platform. */
type Location = Platform & { channel: string };

/** `emptied` adds rows and columns for deleted builds, with null in their cells. */
export function gridOf<P extends Location>(pointers: readonly P[], emptied: readonly Location[] = []): Grid<P> {
  const keyOf = ({ os, arch }: Platform) => `${os} ${arch}`;
  const all: readonly Location[] = [...pointers, ...emptied];
  const platforms = [...new Map(all.map(({ os, arch }) => [keyOf({ os, arch }), { os, arch }])).values()];
  platforms.sort(comparePlatforms);
  const cell = (channel: string, platform: Platform) =>
    pointers.find((pointer) => pointer.channel === channel && keyOf(pointer) === keyOf(platform)) ?? null;
  const rows = channelNames(all).map((channel) => ({
    channel,
    cells: platforms.map((platform) => cell(channel, platform)),
  }));
  return { platforms, rows };
}
