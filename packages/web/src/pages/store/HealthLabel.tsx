// Whether a game is known to start on players’ machines.
import type { Band } from '@chauffeur/contract/operations/health';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';

/** Of a game that too few have started there is nothing to say. */
const WORDS: Readonly<Record<Band, { tone: Tone; says: string } | null>> = {
  excellent: { tone: 'good', says: 'Launch health: excellent' },
  healthy: { tone: 'good', says: 'Launch health: healthy' },
  mixed: { tone: 'unsure', says: 'Launch health: mixed' },
  problematic: { tone: 'bad', says: 'Launch health: problematic' },
  unrated: null,
};

export function HealthLabel({ band }: { band: Band }) {
  const words = WORDS[band];
  return words === null ? null : <StateBadge tone={words.tone}>{words.says}</StateBadge>;
}
