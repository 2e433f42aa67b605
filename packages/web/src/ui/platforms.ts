// How platforms are said, in which order they stand, and which one a visitor is on.
import { ARCHES, type Arch, OSES, type Os } from '@chauffeur/contract/identity';

const OS_NAMES: Readonly<Record<Os, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Browser',
};

export type PlatformWords = { readonly os: string; readonly arch: string };

export function sayOs(os: string): string {
  return (OS_NAMES as Readonly<Record<string, string>>)[os] ?? os;
}

/** `Windows x86_64`. */
export function sayPlatform({ os, arch }: PlatformWords): string {
  return `${sayOs(os)} ${arch}`;
}

/** In the order of the contract’s lists. */
export function comparePlatforms(a: PlatformWords, b: PlatformWords): number {
  const place = ({ os, arch }: PlatformWords) => OSES.indexOf(os as Os) * ARCHES.length + ARCHES.indexOf(arch as Arch);
  return place(a) - place(b);
}

/** The operating system that a browser’s user agent names; Linux where it names none that is known. */
export function guessOs(userAgent: string): Os {
  if (/windows/i.test(userAgent)) return 'windows';
  if (/android/i.test(userAgent)) return 'android';
  if (/iphone|ipad/i.test(userAgent)) return 'ios';
  return /mac os|macintosh/i.test(userAgent) ? 'macos' : 'linux';
}
