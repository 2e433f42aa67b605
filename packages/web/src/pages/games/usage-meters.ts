// The limits of a game: how much of each is used, and what happens when it is reached.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { type getUsage, USAGE_NOTICE } from '@chauffeur/contract/operations/usage';

export type Meter = {
  readonly name: string;
  readonly used: number;
  /** 0 means no limit. */
  readonly limit: number;
  /** The use in words: `3.2 GiB of 100.0 GiB used`. */
  readonly text: string;
  readonly whenReached: string;
};

const NO_FILES = 'Crash reports are kept without dumps and logs until midnight UTC.';

export function metersOf({ storage, crashes_today: crashes }: OutputOf<typeof getUsage>): Meter[] {
  return [
    meterOf('Builds, symbols and event files', { used: storage.used_bytes, limit: storage.limit_bytes }, formatBytes, {
      whenReached:
        'Uploads are refused, and no event files are written. Delete what you no longer need to free up space.',
    }),
    meterOf('Crash reports today', crashes.reports, formatNumber, {
      whenReached: 'Crash reports are refused until midnight UTC.',
    }),
    meterOf('Crash files today', crashes.files, formatNumber, { whenReached: NO_FILES }),
    meterOf('Stored crash files today', crashes.bytes, formatBytes, { whenReached: NO_FILES }),
  ];
}

function meterOf(
  name: string,
  { used, limit }: { used: number; limit: number },
  format: (value: number) => string,
  { whenReached }: { whenReached: string },
): Meter {
  const text = limit === 0 ? `${format(used)} used` : `${format(used)} of ${format(limit)} used`;
  return { name, used, limit, text, whenReached };
}

/** The used share of the limit, from 0 to 1. It is 0 without a limit. */
export function shareOf({ used, limit }: Meter): number {
  return limit === 0 ? 0 : Math.min(1, used / limit);
}

export function isNearLimit(meter: Meter): boolean {
  return shareOf(meter) >= USAGE_NOTICE;
}
