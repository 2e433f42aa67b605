// Tells whether a page that calls the API was served by this service.
import { isLoopbackName } from './loopback.ts';

/**
 * Whether `origin`, as a browser sends it, is that of the public URL. There is one public URL. Only a service at a loopback address has several
 * names, since people open `localhost` as well as `127.0.0.1`; the same port on the same machine is this service.
 */
export function isOwnOrigin(publicUrl: string, origin: string): boolean {
  const own = new URL(publicUrl);
  if (origin === own.origin) return true;
  if (!isLoopbackName(own.hostname) || !URL.canParse(origin)) return false;
  const { protocol, hostname, port, origin: normalized } = new URL(origin);
  return origin === normalized && protocol === own.protocol && port === own.port && isLoopbackName(hostname);
}
