// Asks the server for another download if the browser reveals more about the machine than its user agent, such as an
// Intel processor in a Mac.

import type { Platform } from '@chauffeur/contract/identity';
import { type BrowserFacts, chooseDownload, readMachine } from '@chauffeur/contract/machine';
import { replacePart } from './page-parts.ts';

type WithHints = {
  userAgentData?: { getHighEntropyValues(names: readonly string[]): Promise<NonNullable<BrowserFacts['hints']>> };
};

export async function refineDownload(): Promise<void> {
  const area = document.getElementById('download');
  if (area === null) return;
  const hints = await readHints();
  const machine = readMachine({
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
    ...(hints !== undefined && { hints }),
  });
  const { platforms = '', best: shown = '' } = area.dataset;
  const offers = platforms.split(' ').map((platform) => {
    const [os, arch] = platform.split('/');
    return { os, arch } as Platform;
  });
  const { best } = chooseDownload(offers, machine);
  if (machine.os === null || (best === null ? '' : `${best.os}/${best.arch}`) === shown) return;
  const address = new URL(location.href);
  address.searchParams.set('os', machine.os);
  if (machine.arch !== null) address.searchParams.set('arch', machine.arch);
  await replacePart('download', address.href);
}

/** Undefined if the browser has none, or refuses. */
function readHints(): Promise<BrowserFacts['hints']> {
  const { userAgentData } = navigator as WithHints;
  const reading = userAgentData?.getHighEntropyValues(['architecture', 'bitness', 'platform']);
  return reading?.catch(() => undefined) ?? Promise.resolve(undefined);
}
