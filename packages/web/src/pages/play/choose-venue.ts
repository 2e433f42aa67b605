// Chooses where a game is played: on its own host if this browser can reach it, otherwise in a sandbox on the host of
// this page.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPlay } from '@chauffeur/contract/operations/play';
import { PLAY_PROBE } from '@chauffeur/contract/play-sandbox';

export type Venue = { readonly url: string; readonly sandbox: string; readonly keepsSaves: boolean };

/** A host on this machine responds at once, if the browser finds it. */
const PROBE_MS = 3000;
const LOCAL = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

export async function chooseVenue({
  url,
  sandbox,
  keeps_saves: keepsSaves,
  fallback,
}: OutputOf<typeof getPlay>): Promise<Venue> {
  if (!keepsSaves) return { url: onThisHost(url), sandbox, keepsSaves };
  if (fallback === null || (await canReach(url))) return { url, sandbox, keepsSaves };
  return { url: onThisHost(fallback.url), sandbox: fallback.sandbox, keepsSaves: false };
}

/** Such a host is at a loopback address, so it is this service only if the page came from this machine too. */
async function canReach(url: string): Promise<boolean> {
  if (!LOCAL.test(location.hostname)) return false;
  const probe = new URL(PLAY_PROBE, url);
  const options = { credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) } as const;
  return fetch(probe, options).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The website's own host, under whatever name it was opened. */
function onThisHost(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
