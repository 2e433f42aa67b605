// Converts the expiry of a promotion to hours from now.

const HOUR_MS = 3_600_000;

/** Hours until the expiry, but at least the minimum that the API accepts. 0 means no expiry. */
export function hoursUntil(expiresAt: string | null, now: Date): number {
  if (expiresAt === null) return 0;
  return Math.max(0.01, (new Date(expiresAt).getTime() - now.getTime()) / HOUR_MS);
}
