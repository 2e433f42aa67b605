// How platforms are said, in which order they stand, and which one a visitor is on.
import { ARCHES, type Arch, OSES, type Os } from '@chauffeur/contract/identity';
import type { PlatformWords } from '@chauffeur/contract/platform-words';

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
