// A band of launch health in its colour and in a word.
import type { Band } from '@chauffeur/contract/operations/health';
import { BAND_WORDS } from './bands.ts';
import { StateBadge } from './StateBadge.tsx';

export function BandBadge({ band }: { band: Band }) {
  const { tone, word } = BAND_WORDS[band];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
