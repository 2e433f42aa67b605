// Decides whether a group gets many more reports than it usually does.
import { HOUR } from '../../../kernel/clock.ts';

/** Hours of a group's own history with which its rate is compared. */
export const HISTORY_HOURS = 7 * 24;
/** Fewer reports in an hour are never a spike. */
export const MIN_REPORTS = 20;
const TIMES_AVERAGE = 5;
const TIMES_HIGHEST = 2;

export type Rate = {
  /** Reports in this hour so far. */
  readonly count: number;
  /** Reports in the hours before it that are known, and the most in one of them. */
  readonly sum: number;
  readonly highest: number;
  /** When these hours began. */
  readonly knownSince: Date;
};

/**
 * The average number of reports in an hour before, if this hour is a spike: five times the average, and twice the hour
 * with the most. Null if it isn't, or if the group's first hour isn't over: it is new, and its members know that.
 */
export function spikeOf({ count, sum, highest, knownSince }: Rate, hour: Date): number | null {
  const hours = Math.min(HISTORY_HOURS, (hour.getTime() - knownSince.getTime()) / HOUR);
  if (hours < 1 || count < MIN_REPORTS) return null;
  const average = sum / hours;
  return count >= TIMES_AVERAGE * average && count >= TIMES_HIGHEST * highest ? average : null;
}
