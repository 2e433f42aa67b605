// The bands of launch health: their words, their tones, and what keeps a build from having one.
import { LEAST_DEVICES } from '@chauffeur/contract/launch-bands';
import type { Band } from '@chauffeur/contract/operations/health';
import type { Tone } from './StateBadge.tsx';

export const BAND_WORDS: Readonly<Record<Band, { readonly tone: Tone; readonly word: string }>> = {
  excellent: { tone: 'good', word: 'Excellent' },
  healthy: { tone: 'good', word: 'Healthy' },
  mixed: { tone: 'unsure', word: 'Mixed' },
  problematic: { tone: 'bad', word: 'Problematic' },
  unrated: { tone: 'none', word: 'Unrated' },
};

/** `12 of 20 devices`; null where there are enough. */
export function sayMissing({ devices }: { readonly devices: number }): string | null {
  return devices >= LEAST_DEVICES ? null : `${devices} of ${LEAST_DEVICES} devices`;
}
