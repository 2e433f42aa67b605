// The bands of launch health: a badge, and their labels.

import { MIN_DEVICES } from '@chauffeur/contract/launch-bands';
import type { Band } from '@chauffeur/contract/operations/health';
import { StateBadge, type Tone } from './StateBadge.tsx';

export function BandBadge({ band }: { band: Band }) {
  const { tone, label } = BANDS[band];
  return <StateBadge tone={tone}>{label}</StateBadge>;
}

/** The bands of launch health: their labels and tones, and how many devices an unrated build still needs. */
const BANDS: Readonly<Record<Band, { readonly tone: Tone; readonly label: string }>> = {
  excellent: { tone: 'good', label: 'Excellent' },
  healthy: { tone: 'good', label: 'Healthy' },
  mixed: { tone: 'unsure', label: 'Mixed' },
  problematic: { tone: 'bad', label: 'Problematic' },
  unrated: { tone: 'none', label: 'Unrated' },
};

/** `12 of 20 devices`; null once there are enough. */
export function formatMissingDevices({ devices }: { readonly devices: number }): string | null {
  return devices >= MIN_DEVICES ? null : `${devices} of ${MIN_DEVICES} devices`;
}
