// Rates the launches of a build by the shares of its devices that booted, and that crashed on boot.
import { BAND_RULES, MIN_DEVICES } from '@chauffeur/contract/launch-bands';
import type { Band } from '@chauffeur/contract/operations/health';

/** Numbers of distinct devices in the window. `booted` and `crashed` are subsets of `devices`. */
export type DeviceCounts = { readonly devices: number; readonly booted: number; readonly crashed: number };

/** Compares integers, so a build exactly at a limit meets it. */
export function bandOf({ devices, booted, crashed }: DeviceCounts): Band {
  if (devices < MIN_DEVICES) return 'unrated';
  const rule = BAND_RULES.find(
    ({ minBooted, maxCrashed }) => booted * 100 >= minBooted * devices && crashed * 100 <= maxCrashed * devices,
  );
  return rule?.band ?? 'problematic';
}
