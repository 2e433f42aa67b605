// Decides whether a page that calls the API was served by this service.
import { isLoopbackName } from '../kernel/network/loopback.ts';

/**
 * Whether `origin`, as sent by a browser, is the origin of the public URL. A service on a loopback address also accepts
 * its other names, because people open `localhost` as well as `127.0.0.1`: the same port of the same machine is this
 * service.
 */
export function isOwnOrigin(publicUrl: string, origin: string): boolean {
  const own = new URL(publicUrl);
  if (origin === own.origin) return true;
  if (!isLoopbackName(own.hostname) || !URL.canParse(origin)) return false;
  const { protocol, hostname, port, origin: normalized } = new URL(origin);
  return origin === normalized && protocol === own.protocol && port === own.port && isLoopbackName(hostname);
}
