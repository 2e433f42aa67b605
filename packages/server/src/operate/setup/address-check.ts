// Checks what reached the server against its settings: the public URL, the proxies and the size of the body.

import { formatBytes } from '@chauffeur/contract/format';
import { isLoopbackName } from '../../kernel/network/loopback.ts';
import { type Check, fail, pass, warn } from './checks.ts';

export type AddressFacts = {
  publicUrl: string;
  /** The value of CHAUFFEUR_TRUST_PROXY. */
  trustProxy: number;
  /** The number of proxies that the request of the browser came through. */
  proxies: number;
};

export function checkPublicUrl({ publicUrl }: Pick<AddressFacts, 'publicUrl'>): Check {
  const { protocol, hostname, host } = new URL(publicUrl);
  if (isLoopbackName(hostname))
    return warn(
      `Only this machine can reach the server at ${publicUrl}.`,
      'Set CHAUFFEUR_PUBLIC_URL to the address that players and developers open.',
    );
  if (protocol === 'http:')
    return fail(
      `Passwords and downloads are sent unencrypted to ${publicUrl}.`,
      `Put a proxy with a certificate in front of the server, and set CHAUFFEUR_PUBLIC_URL=https://${host}.`,
    );
  return pass(`The server is at ${publicUrl}, and connections are encrypted.`);
}

export function checkProxies({ trustProxy, proxies }: Omit<AddressFacts, 'publicUrl'>): Check {
  if (trustProxy === proxies)
    return pass(
      proxies === 0
        ? 'No proxy adds client addresses, and none is trusted.'
        : `CHAUFFEUR_TRUST_PROXY is ${trustProxy}, which is the number of proxies that add a client address.`,
    );
  const remedy = `Set CHAUFFEUR_TRUST_PROXY=${proxies}.`;
  return trustProxy < proxies
    ? fail(
        `${countOf(proxies)} a client address, but CHAUFFEUR_TRUST_PROXY is ${trustProxy}: all visitors seem to have the same address, and share its limits.`,
        remedy,
      )
    : fail(
        `${countOf(proxies)} a client address, but CHAUFFEUR_TRUST_PROXY is ${trustProxy}: visitors can choose the address that limits count.`,
        `${remedy} If you opened this page without going through the proxy, open it at the public address instead.`,
      );
}

function countOf(proxies: number): string {
  if (proxies === 0) return 'No proxy adds';
  return proxies === 1 ? '1 proxy adds' : `${proxies} proxies add`;
}

export function checkBody(received: number, expected: number): Check {
  return received === expected
    ? pass(`A request of ${formatBytes(expected)}, the size of a chunk of an upload, arrived complete.`)
    : fail(
        `Of a request of ${formatBytes(expected)}, ${formatBytes(received)} arrived.`,
        'Let the proxy forward bodies of any size without buffering.',
      );
}
