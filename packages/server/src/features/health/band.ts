// Rates the launches of a build by how many of its devices booted and how many crashed before.
import type { Band } from '@chauffeur/contract/operations/health';

/** Distinct devices of the window; `booted` and `crashed` are parts of them. */
export type DeviceCounts = { readonly devices: number; readonly booted: number; readonly crashed: number };

/** With fewer devices, one more or less would move the band. */
export const LEAST_DEVICES = 20;

/** Days of the window, today included (UTC). */
export const WINDOW_DAYS = 30;

type Rule = { readonly band: Band /** Percent. */; readonly leastBooted: number; readonly mostCrashed: number };

/** From the best; a build has the first band whose both bounds it keeps, and below all of them it is problematic. */
const RULES: readonly Rule[] = [
  { band: 'excellent', leastBooted: 98, mostCrashed: 1 },
  { band: 'healthy', leastBooted: 93, mostCrashed: 3 },
  { band: 'mixed', leastBooted: 80, mostCrashed: 10 },
];

/** In whole numbers, so that a build exactly on a border is on its better side. */
export function bandOf({ devices, booted, crashed }: DeviceCounts): Band {
  if (devices < LEAST_DEVICES) return 'unrated';
  const kept = RULES.find(
    ({ leastBooted, mostCrashed }) => booted * 100 >= leastBooted * devices && crashed * 100 <= mostCrashed * devices,
  );
  return kept?.band ?? 'problematic';
}
