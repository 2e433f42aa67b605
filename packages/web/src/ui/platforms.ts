// The order of platforms, the OSes to choose from, and the OS a visitor uses.
import { formatOs } from '@chauffeur/contract/format';
import { ARCHES, OSES, type Os, type Platform } from '@chauffeur/contract/identity';

export const OS_CHOICES = OSES.map((os) => ({ value: os, label: formatOs(os) }));

/** The value of the filter that matches every OS. */
const ANY_OS = '';
export const OS_FILTER_CHOICES = [{ value: ANY_OS, label: 'Any OS' }, ...OS_CHOICES];

/** Sorts by OS, then by architecture, in the order of the contract's lists. */
export function comparePlatforms(a: Platform, b: Platform): number {
  const rank = ({ os, arch }: Platform) => OSES.indexOf(os) * ARCHES.length + ARCHES.indexOf(arch);
  return rank(a) - rank(b);
}

/** The OS that a browser's user agent names; Linux if it names no OS that we know. */
export function guessOs(userAgent: string): Os {
  if (/windows/i.test(userAgent)) return 'windows';
  if (/android/i.test(userAgent)) return 'android';
  if (/iphone|ipad/i.test(userAgent)) return 'ios';
  return /mac os|macintosh/i.test(userAgent) ? 'macos' : 'linux';
}
