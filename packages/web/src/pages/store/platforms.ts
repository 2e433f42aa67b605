// How platforms are called on pages for players, who know processors by other words.
import { OSES } from '@chauffeur/contract/identity';
import { sayOs } from '@chauffeur/contract/platform-words';

const PROCESSORS: Readonly<Record<string, string>> = {
  x86_64: '64-bit',
  x86: '32-bit',
  arm64: 'ARM 64-bit',
  arm32: 'ARM 32-bit',
  arm: 'ARM',
  universal: 'all processors',
};

const APPLE_PROCESSORS: Readonly<Record<string, string>> = { x86_64: 'Intel', arm64: 'Apple silicon' };

/** `Windows 64-bit`, `macOS Apple silicon`; of a build for browsers, which knows no processor, `Browser`. */
export function sayPlatform({ os, arch }: { os: string; arch: string }): string {
  if (os === 'web') return sayOs(os);
  const processor = (os === 'macos' ? APPLE_PROCESSORS[arch] : undefined) ?? PROCESSORS[arch] ?? arch;
  return `${sayOs(os)} ${processor}`;
}

/** The systems of these platforms, each once, in the order of the contract’s list. */
export function listSystems(platforms: readonly { os: string }[]): string[] {
  const oses = new Set(platforms.map(({ os }) => os));
  return OSES.filter((os) => oses.has(os)).map(sayOs);
}
