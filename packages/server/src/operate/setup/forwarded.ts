// Counts the proxies between a browser and the server.
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The number of addresses in X-Forwarded-For. Browsers never send this header, so in the request of a browser, each
 * address was added by a proxy.
 */
export function countProxies({ 'x-forwarded-for': header }: IncomingHttpHeaders): number {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .filter((address) => address.trim() !== '').length;
}
