// How long a promotion is to hold, from when it is to end.

const HOUR_MS = 3_600_000;

/** Hours from `now` to an expiry, at least the shortest that can be asked for; 0 for none. */
export function hoursUntil(expiresAt: string | null, now: Date): number {
  if (expiresAt === null) return 0;
  return Math.max(0.01, (new Date(expiresAt).getTime() - now.getTime()) / HOUR_MS);
}
