// The launch health of a game: whether it starts reliably on players' machines.
import type { Band } from '@chauffeur/contract/operations/health';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';

/** Nothing is shown while too few devices have started the game. */
const LABELS: Readonly<Record<Band, { tone: Tone; label: string } | null>> = {
  excellent: { tone: 'good', label: 'Launch health: excellent' },
  healthy: { tone: 'good', label: 'Launch health: healthy' },
  mixed: { tone: 'unsure', label: 'Launch health: mixed' },
  problematic: { tone: 'bad', label: 'Launch health: problematic' },
  unrated: null,
};

export function HealthLabel({ band }: { band: Band }) {
  const health = LABELS[band];
  return health === null ? null : <StateBadge tone={health.tone}>{health.label}</StateBadge>;
}
