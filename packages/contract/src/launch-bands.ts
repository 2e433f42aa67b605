// The rules of launch health as data: the server rates builds by them, and pages say what they are.
import type { Band } from './operations/health.ts';

/** With fewer devices, one more or less would move the band. */
export const LEAST_DEVICES = 20;

/** Days of the window, today included (UTC). */
export const WINDOW_DAYS = 30;

/** Percent of the devices. */
export type BandRule = { readonly band: Band; readonly leastBooted: number; readonly mostCrashed: number };

/** From the best; a build has the first band whose both bounds it keeps, and below all of them it is problematic. */
export const BAND_RULES: readonly BandRule[] = [
  { band: 'excellent', leastBooted: 98, mostCrashed: 1 },
  { band: 'healthy', leastBooted: 93, mostCrashed: 3 },
  { band: 'mixed', leastBooted: 80, mostCrashed: 10 },
];
