// The limits that a game’s crash reports and their files have each UTC day, and when the day is over.
import { ApiError } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { DAY, SECOND } from '../../../kernel/clock.ts';

/** Of the day that begins at `day`; 0 lifts a limit. `bytes` are those that the store keeps of dumps and logs. */
export type DailyLimits = { day: Date; crashes: number; uploads: number; bytes: number };

export function dailyLimits({ config, clock }: Context): DailyLimits {
  return {
    day: dayOf(clock.now()),
    crashes: config.limitCrashes,
    uploads: config.limitCrashUploads,
    bytes: config.limitCrashMb * MIB,
  };
}

/** What a game has used of its limits today. */
export type UsedToday = { uploads: number; bytes: number };

/** Bytes that may still be stored today: all where the limit is lifted, none where the number of files is used up. */
export function bytesLeft(limits: DailyLimits, used: UsedToday): number {
  if (limits.uploads > 0 && used.uploads >= limits.uploads) return 0;
  return limits.bytes === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limits.bytes - used.bytes);
}

/** What becomes of a file that comes when the day’s limits are used up. */
export const PAST_LIMIT = 'not kept, because the game had reached its daily limit for crash files';

/** Seconds until the next UTC day. */
export function secondsLeft({ clock }: Context): number {
  const now = clock.now();
  return Math.max(1, Math.ceil((dayOf(now).getTime() + DAY - now.getTime()) / SECOND));
}

export function tooManyBytes(ctx: Context): ApiError {
  const seconds = secondsLeft(ctx);
  return new ApiError(
    4290,
    `This game has reached its limit of ${ctx.config.limitCrashMb} MiB of crash files a day; try again in ${seconds} s.`,
    { data: { retry_after: seconds } },
  );
}

function dayOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY) * DAY);
}
