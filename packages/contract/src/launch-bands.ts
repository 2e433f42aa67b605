// The rules of launch health as data. The server rates builds by them, and the website and the docs show them.
import type { Band } from './operations/health.ts';

/** With fewer devices, a single one could change the band, so the build is not rated. */
export const MIN_DEVICES = 20;

/** Days that are counted, including today (UTC). */
export const WINDOW_DAYS = 30;

/** Limits in percent of the devices. */
export type BandRule = { readonly band: Band; readonly minBooted: number; readonly maxCrashed: number };

/** Ordered from best to worst. A build gets the first band whose limits it meets, or `problematic` if it meets none. */
export const BAND_RULES: readonly BandRule[] = [
  { band: 'excellent', minBooted: 98, maxCrashed: 1 },
  { band: 'healthy', minBooted: 93, maxCrashed: 3 },
  { band: 'mixed', minBooted: 80, maxCrashed: 10 },
];
