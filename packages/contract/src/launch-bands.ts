// The rules of launch health as data: the server rates builds by them, and pages say what they are.
import type { Band } from './operations/health.ts';

/** With fewer devices, one more or less would move the band. */
export const MIN_DEVICES = 20;

/** Days of the window, today included (UTC). */
export const WINDOW_DAYS = 30;

/** Percent of the devices. */
export type BandRule = { readonly band: Band; readonly minBooted: number; readonly maxCrashed: number };

/** From the best; a build has the first band whose both bounds it keeps, and below all of them it is problematic. */
export const BAND_RULES: readonly BandRule[] = [
  { band: 'excellent', minBooted: 98, maxCrashed: 1 },
  { band: 'healthy', minBooted: 93, maxCrashed: 3 },
  { band: 'mixed', minBooted: 80, maxCrashed: 10 },
];
