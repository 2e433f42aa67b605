// The limits of a game's crash reports and their files for each UTC day.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { DAY, SECOND } from '../../../kernel/clock.ts';

/**
 * The limits of the day that begins at `day`; 0 means no limit. `bytes` limits the compressed size of dumps and logs of
 * games without their own quota.
 */
export type DailyLimits = { day: Date; crashes: number; uploads: number; bytes: number };

export function dailyLimits({ config, clock }: Context): DailyLimits {
  return {
    day: dayOf(clock.now()),
    crashes: config.limitCrashes,
    uploads: config.limitCrashUploads,
    bytes: config.limitCrashMb * MIB,
  };
}

/** How much of its limits a game has used today. `quota_mb` is its own limit of bytes in MiB; null for the setting. */
export type UsedToday = { uploads: number; bytes: number; quota_mb: number | null };

/** The bytes that may still be stored today: infinite without a limit, 0 if the limit of files is reached. */
export function bytesLeft(limits: DailyLimits, used: UsedToday): number {
  if (limits.uploads > 0 && used.uploads >= limits.uploads) return 0;
  const maxBytes = used.quota_mb === null ? limits.bytes : used.quota_mb * MIB;
  return maxBytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, maxBytes - used.bytes);
}

/** Seconds until the next UTC day. */
export function secondsLeft({ clock }: Context): number {
  const now = clock.now();
  return Math.max(1, Math.ceil((dayOf(now).getTime() + DAY - now.getTime()) / SECOND));
}

export function tooManyBytes(ctx: Context): ApiError {
  const seconds = secondsLeft(ctx);
  return errors.limitReached(
    `This game has reached its limit of bytes of crash files a day. Try again in ${seconds} s.`,
    { data: { retry_after: seconds } },
  );
}

function dayOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY) * DAY);
}
