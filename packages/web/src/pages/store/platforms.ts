// Formats platforms for players, who know processors by friendlier names.
import { formatOs } from '@chauffeur/contract/format';
import { OSES } from '@chauffeur/contract/identity';

const PROCESSORS: Readonly<Record<string, string>> = {
  x86_64: '64-bit',
  x86: '32-bit',
  arm64: 'ARM 64-bit',
  arm32: 'ARM 32-bit',
  arm: 'ARM',
  universal: 'all processors',
};

const APPLE_PROCESSORS: Readonly<Record<string, string>> = { x86_64: 'Intel', arm64: 'Apple silicon' };

/** `Windows 64-bit`, `macOS Apple silicon`, or just `Browser`, where the processor doesn't matter. */
export function formatFriendlyPlatform({ os, arch }: { os: string; arch: string }): string {
  if (os === 'web') return formatOs(os);
  const processor = (os === 'macos' ? APPLE_PROCESSORS[arch] : undefined) ?? PROCESSORS[arch] ?? arch;
  return `${formatOs(os)} ${processor}`;
}

/** The OS names of these platforms, each once, in the order of the contract's list. */
export function listOsNames(platforms: readonly { os: string }[]): string[] {
  const oses = new Set(platforms.map(({ os }) => os));
  return OSES.filter((os) => oses.has(os)).map(formatOs);
}
