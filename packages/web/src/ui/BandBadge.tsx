// A band of launch health as a badge.
import type { Band } from '@chauffeur/contract/operations/health';
import { BANDS } from './bands.ts';
import { StateBadge } from './StateBadge.tsx';

export function BandBadge({ band }: { band: Band }) {
  const { tone, label } = BANDS[band];
  return <StateBadge tone={tone}>{label}</StateBadge>;
}
