// Rates the launches of a build by how many of its devices booted and how many crashed before.
import { BAND_RULES, LEAST_DEVICES } from '@chauffeur/contract/launch-bands';
import type { Band } from '@chauffeur/contract/operations/health';

/** Distinct devices of the window; `booted` and `crashed` are parts of them. */
export type DeviceCounts = { readonly devices: number; readonly booted: number; readonly crashed: number };

/** In whole numbers, so that a build exactly on a border is on its better side. */
export function bandOf({ devices, booted, crashed }: DeviceCounts): Band {
  if (devices < LEAST_DEVICES) return 'unrated';
  const kept = BAND_RULES.find(
    ({ leastBooted, mostCrashed }) => booted * 100 >= leastBooted * devices && crashed * 100 <= mostCrashed * devices,
  );
  return kept?.band ?? 'problematic';
}
