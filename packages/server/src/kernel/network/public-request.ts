// Sends requests to addresses that other people chose, without letting them reach the network of this service.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isPublicAddress } from './public-addresses.ts';

/** The host has an address that is not on the public internet. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError';

  constructor() {
    super('its host is not on the public internet');
  }
}

/** The network functions, which tests replace. */
export type Internet = {
  /** All addresses of a host. Throws if there are none. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
  /** The `request` of node:https, or that of node:http for such URLs. */
  readonly request: (url: URL, options: RequestOptions) => ReturnType<typeof requestHttps>;
  /** Whether hosts may have addresses of private networks and of this machine. */
  readonly allowsPrivate: boolean;
};

export const INTERNET: Internet = {
  resolve: (host) => lookup(host, { all: true, order: 'verbatim' }),
  request: (url, options) => (url.protocol === 'http:' ? requestHttp : requestHttps)(url, options),
  allowsPrivate: false,
};

type Outgoing = {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request and its response. */
  readonly signal: AbortSignal;
};

/**
 * Sends a request and returns its response, whose body is not read yet: call `destroy` when it is no longer needed.
 * Redirects are not followed, because they would bypass the address check. Throws NotPublicError, and the errors of the
 * network.
 */
export async function requestPublic(
  url: URL,
  { method, headers, body, signal }: Outgoing,
  internet: Internet = INTERNET,
): Promise<IncomingMessage> {
  const address = await findAddress(url, internet, signal);
  const outgoing = internet.request(url, {
    method,
    // A reused connection could be to an address that was not checked.
    agent: false,
    headers: { 'user-agent': 'Chauffeur', ...headers },
    signal,
    lookup: (_host, { all }, done) =>
      all === true ? done(null, [address]) : done(null, address.address, address.family),
  });
  // Errors after the start of the response also reach its reader.
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  // Without a listener, a request whose response is 101 (Switching Protocols) would never end.
  outgoing.on('upgrade', (_response, socket) => {
    socket.destroy();
    outgoing.emit('error', new Error('the server switched to another protocol'));
  });
  const [response] = (await once(outgoing, 'response', { signal })) as [IncomingMessage];
  return response;
}

/**
 * Resolves the host once. The connection uses the checked address, because a second lookup could return another one
 * (DNS rebinding). All addresses must be public, because any of them could be used.
 */
async function findAddress(url: URL, internet: Internet, signal: AbortSignal): Promise<LookupAddress> {
  // A lookup cannot be ended.
  const addresses = await Promise.race([internet.resolve(hostOf(url)), rejectionOf(signal)]);
  const [first] = addresses;
  if (first === undefined) throw new Error('the host has no address');
  if (internet.allowsPrivate || addresses.every(({ address }) => isPublicAddress(address))) return first;
  throw new NotPublicError();
}

const LOOKUP_MS = 5000;

/** Whether a host has an address that is not on the public internet. False if it has no address. */
export async function isPrivateHost(url: URL, internet: Internet = INTERNET): Promise<boolean> {
  try {
    const addresses = await Promise.race([internet.resolve(hostOf(url)), rejectionOf(AbortSignal.timeout(LOOKUP_MS))]);
    return addresses.some(({ address }) => !isPublicAddress(address));
  } catch {
    return false;
  }
}

/** Returns the host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason));
  if (signal.aborted) reject(signal.reason);
  // Not awaited after the name is resolved.
  promise.catch(() => undefined);
  return promise;
}
