// Shows a band of launch health as a badge.
import { MIN_DEVICES } from '@chauffeur/contract/launch-bands';
import type { Band } from '@chauffeur/contract/operations/health';
import { StateBadge, type Tone } from './StateBadge.tsx';

export function BandBadge({ band }: { band: Band }) {
  const { tone, label } = BANDS[band];
  return <StateBadge tone={tone}>{label}</StateBadge>;
}

const BANDS: Readonly<Record<Band, { readonly tone: Tone; readonly label: string }>> = {
  excellent: { tone: 'good', label: 'Excellent' },
  healthy: { tone: 'good', label: 'Healthy' },
  mixed: { tone: 'unsure', label: 'Mixed' },
  problematic: { tone: 'bad', label: 'Problematic' },
  unrated: { tone: 'none', label: 'Unrated' },
};

/** How many of the devices that a rating needs a build has: `12 of 20 devices`. Null once there are enough. */
export function formatMissingDevices({ devices }: { readonly devices: number }): string | null {
  return devices >= MIN_DEVICES ? null : `${devices} of ${MIN_DEVICES} devices`;
}
