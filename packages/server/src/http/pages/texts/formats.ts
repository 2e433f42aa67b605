// Formats what the store says about games and downloads in a language: platforms, launch health, scan results and origins.

import { formatOs } from '@chauffeur/contract/format';
import { BAND_RULES } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { Band } from '@chauffeur/contract/operations/health';
import type { getProvenance, getPublicGame } from '@chauffeur/contract/operations/store';
import type { MessageKey, Texts } from './texts.ts';

type Origin = OutputOf<typeof getProvenance>['origin'];
type Download = OutputOf<typeof getPublicGame>['downloads'][number];
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

const PROCESSORS: Readonly<Record<string, MessageKey>> = {
  x86_64: 'processor.x86_64',
  x86: 'processor.x86',
  arm64: 'processor.arm64',
  arm32: 'processor.arm32',
  arm: 'processor.arm',
  universal: 'processor.universal',
};

const APPLE_PROCESSORS: Readonly<Record<string, MessageKey>> = { x86_64: 'processor.intel', arm64: 'processor.apple' };

/** `Windows 64-bit`, `macOS Apple silicon`, or just `Browser`, where the processor doesn't matter. */
export function formatPlatform(texts: Texts, { os, arch }: { readonly os: string; readonly arch: string }): string {
  if (os === 'web') return formatOs(os);
  const key = (os === 'macos' ? APPLE_PROCESSORS[arch] : undefined) ?? PROCESSORS[arch];
  return texts.t('platform', { os: formatOs(os), processor: key === undefined ? arch : texts.t(key) });
}

/**
 * `Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4`. Only a clean scan shows its date.
 */
export function formatScan(texts: Texts, { file, origin, scanned_at }: Download, now: Date): string {
  const result = texts.t(`scan.${file.status}`, { day: texts.recentDay(new Date(scanned_at), now) });
  return `${result} · ${formatOrigin(texts, origin)}`;
}

function formatOrigin(texts: Texts, origin: Origin): string {
  if (origin.type === 'deploy_key') return texts.t('scan.key', { key: origin.key_ref });
  return texts.t(origin.type === 'cli_login' ? 'scan.command' : 'scan.website', { user: origin.user });
}

/** `Deploy key a1b2c3d4`. */
export function formatSource(texts: Texts, origin: Origin): string {
  if (origin.type === 'deploy_key') return texts.t('file.source.key', { key: origin.key_ref });
  return origin.type === 'cli_login'
    ? texts.t('file.source.command', { user: origin.user, key: origin.key_ref })
    : texts.t('file.source.website', { user: origin.user });
}
