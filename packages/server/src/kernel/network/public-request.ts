// Sends requests to addresses that other people chose, without letting them reach the network of this service: only
// public addresses are connected to.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Ranges that are not public or lead to such ranges (IANA IPv4 Special-Purpose Address Registry; RFC 6890). */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];

/**
 * The public addresses assigned so far (RFC 4291, section 2.4). Mapped and translated IPv4 addresses are not among
 * them.
 */
const GLOBAL_IPV6 = ['2000::/3'];

/**
 * The exceptions: documentation, tests, and tunnels whose other end can be anywhere (IANA IPv6 Special-Purpose Address
 * Registry).
 */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialIpv4 = listOf(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = listOf(GLOBAL_IPV6, 'ipv6');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');

/** Whether a packet to this address leaves for the public internet; false for anything but an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // `fe80::1%eth0` is on a local link.
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

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
