// Says for what platform a download is, how it was scanned and where it came from.
import { formatOs } from '../format.ts';
import type { Os } from '../identity.ts';
import type { MessageKey, ProgramKey } from './messages.ts';
import type { Texts } from './texts.ts';

type Says = Pick<Texts<ProgramKey>, 't' | 'recentDay'>;

type Origin =
  | { readonly type: 'deploy_key'; readonly key_ref: string }
  | { readonly type: 'cli_login' | 'api_token'; readonly key_ref: string; readonly user: string }
  | { readonly type: 'website'; readonly user: string };

type Scanned = {
  readonly origin: Origin;
  readonly scanned_at: string;
  readonly file: { readonly status: 'pending' | 'scanning' | 'clean' | 'infected' | 'error' | 'unscanned' };
};

type ProcessorKey = Extract<MessageKey, `processor.${string}`>;

const PROCESSORS: Readonly<Record<string, ProcessorKey>> = {
  x86_64: 'processor.x86_64',
  x86: 'processor.x86',
  arm64: 'processor.arm64',
  arm32: 'processor.arm32',
  arm: 'processor.arm',
  universal: 'processor.universal',
};

const APPLE_PROCESSORS: Readonly<Record<string, ProcessorKey>> = {
  x86_64: 'processor.intel',
  arm64: 'processor.apple',
};

/** `Windows 64-bit`, `macOS Apple silicon`, or just `Browser`, where the processor doesn't matter. */
export function formatFriendlyPlatform(
  texts: Says,
  { os, arch }: { readonly os: string; readonly arch: string },
): string {
  if (os === 'web') return formatOs(os);
  const key = (os === 'macos' ? APPLE_PROCESSORS[arch] : undefined) ?? PROCESSORS[arch];
  return texts.t('platform', { os: formatOs(os), processor: key === undefined ? arch : texts.t(key) });
}

/** The systems on which a downloaded game needs notes. Others install games by themselves, or not at all. */
export const OSES_WITH_NOTES = ['windows', 'macos', 'linux', 'android'] as const satisfies readonly Os[];

/** How to install and start a game that isn't signed. Empty for a system without notes. */
export function defaultInstallNotes(texts: Says, os: string): string {
  const known = OSES_WITH_NOTES.find((each) => each === os);
  return known === undefined ? '' : texts.t(`install.${known}`);
}

type ReleasePart = {
  readonly title: string;
  readonly platforms: readonly { readonly os: string; readonly arch: string }[] | null;
};

/** A title or change of a release: `Rain (Windows 64-bit, Linux 64-bit)`, or just `Rain` if all platforms have it. */
export function formatReleasePart(texts: Says, { title, platforms }: ReleasePart): string {
  if (platforms === null) return title;
  return `${title} (${platforms.map((platform) => formatFriendlyPlatform(texts, platform)).join(', ')})`;
}

/**
 * `Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4`. Only a clean scan shows its date.
 */
export function formatScan(texts: Says, { file, origin, scanned_at }: Scanned, now: Date): string {
  const result = texts.t(`scan.${file.status}`, { day: texts.recentDay(new Date(scanned_at), now) });
  return `${result} · ${formatOrigin(texts, origin)}`;
}

function formatOrigin(texts: Says, origin: Origin): string {
  if (origin.type === 'deploy_key') return texts.t('scan.key', { key: origin.key_ref });
  return texts.t(origin.type === 'website' ? 'scan.website' : 'scan.command', { user: origin.user });
}
