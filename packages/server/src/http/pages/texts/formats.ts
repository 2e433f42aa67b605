// Formats what only public pages say about games and downloads: launch health, and the source of a file.
import { BAND_RULES } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { Band } from '@chauffeur/contract/operations/health';
import type { getProvenance } from '@chauffeur/contract/operations/store';
import type { Texts } from './texts.ts';

type Origin = OutputOf<typeof getProvenance>['origin'];
type Launch = { readonly starts_percent: number; readonly crashes_percent: number };

/**
 * `Starts for 94% of players`, or if crashes are what lowers the band, `Crashes on start for 12% of players`. Null while
 * too few devices have started the game.
 */
export function formatLaunch(texts: Texts, band: Band, launch: Launch | null): string | null {
  if (band === 'unrated' || launch === null) return null;
  const { starts_percent: starts, crashes_percent: crashes } = launch;
  const bandOfStarts = BAND_RULES.find(({ minBooted }) => starts >= minBooted)?.band ?? 'problematic';
  return bandOfStarts === band
    ? texts.t('health.starts', { percent: starts })
    : texts.t('health.crashes', { percent: crashes });
}

/** `Deploy key a1b2c3d4`. */
export function formatSource(texts: Texts, origin: Origin): string {
  if (origin.type === 'deploy_key') return texts.t('file.source.key', { key: origin.key_ref });
  return origin.type === 'cli_login'
    ? texts.t('file.source.command', { user: origin.user, key: origin.key_ref })
    : texts.t('file.source.website', { user: origin.user });
}
