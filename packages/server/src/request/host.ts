// Finds the host that a request is for. X-Forwarded-Host is ignored: proxies pass it on as the client sent it, and keep
// Host (docs/proxy.md).
import type { IncomingHttpHeaders } from 'node:http';

/** A name or an address with an optional port, and no user name (RFC 9110, section 7.2). */
const HOST = /^([a-z\d][a-z\d._-]*|\[[\da-f:.]+\])(:\d{0,5})?$/i;

/** Whether `text` is the host of a URL. */
export function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`);
}

/** The host name without its port, in lower case and without a final dot; '' if the request has no valid host. */
export function hostnameOf({ host = '' }: IncomingHttpHeaders): string {
  return isHost(host) ? host.replace(/:\d*$/, '').toLowerCase().replace(/\.$/, '') : '';
}
