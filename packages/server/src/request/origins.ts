// The hosts and origins of the service: which host a request is for, which pages belong to the service, where games are
// played, and which cookies a host may set. X-Forwarded-Host is ignored: proxies pass it on as the client sent it, and
// keep Host (docs/proxy.md).
//
// With `CHAUFFEUR_PLAY_URL`, games are played on the operator's hosts. On a loopback address, each game has a host
// below `localhost`, which browsers resolve without configuration (RFC 6761, section 6.3). Otherwise, games are played
// on the website's host, in a sandbox without an origin.

import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context.ts';
import { isLoopbackName } from '../kernel/network/loopback.ts';
import { isUuid } from '../kernel/secrets/ids.ts';
import { perContext } from './per-context.ts';

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

/**
 * The name of a cookie. Over HTTPS, its prefix makes browsers accept it only from this host, for all paths (RFC
 * 6265bis, section 4.1.3.2). Otherwise another host of the same domain, such as one where games are played, could set
 * it, and sign visitors in to its own account.
 */
export function cookieName(publicUrl: string, name: string): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}chauffeur.${name}`;
}

/** The place of a game's uid in the address of games, each of which then has its own host. */
const STAR = '*';

type Hosts = {
  /** The origin of games, which may begin with a star; undefined if they have none. */
  readonly address: string | undefined;
  /** The host name in it; empty without one. */
  readonly pattern: string;
  /**
   * Whether the website's host serves games too: to browsers that don't resolve names below `localhost`, and to people
   * who open a service on a loopback address from elsewhere, such as through a tunnel.
   */
  readonly areShared: boolean;
};

const hostsOf = perContext<Hosts>(({ config, publicUrl }) => {
  if (config.playUrl !== undefined)
    return { address: config.playUrl, pattern: new URL(config.playUrl).hostname, areShared: false };
  const { protocol, hostname, port } = new URL(publicUrl);
  const isLocal = isLoopbackName(hostname) || hostname.endsWith('.localhost');
  if (!isLocal) return { address: undefined, pattern: '', areShared: true };
  const pattern = `${STAR}.localhost`;
  return { address: `${protocol}//${pattern}${port && `:${port}`}`, pattern, areShared: true };
});

/** The origin that a game has for itself, without a trailing slash; null if games have none. */
export function ownOriginOf(ctx: Context, gameId: string): string | null {
  return hostsOf(ctx).address?.replace(STAR, gameId) ?? null;
}

/** Whether games are played in the sandbox of the website's host, if only by browsers that can't reach their own. */
export function areShared(ctx: Context): boolean {
  return hostsOf(ctx).areShared;
}

/** What pages of the website may frame, for Content-Security-Policy. */
export function frameSource(ctx: Context): string {
  // Not the public URL: people may open the site under another name, such as localhost. All other pages refuse to be
  // framed, except for the widgets of games, which are the same for everyone.
  const { address, areShared: isShared } = hostsOf(ctx);
  return [isShared ? "'self'" : '', address ?? ''].join(' ').trim();
}

/** The hosts of games that pages of the website may ask whether they can be reached, for Content-Security-Policy. */
export function probeSource(ctx: Context): string {
  const { address = '', areShared: isShared } = hostsOf(ctx);
  return isShared ? address : '';
}

/** Whether a host name, without its port, belongs to the domain of games, even if no game is played there. */
export function isPlayHost(ctx: Context, hostname: string): boolean {
  const { pattern, areShared: isShared } = hostsOf(ctx);
  if (pattern === '') return false;
  if (!pattern.startsWith(STAR)) return hostname === pattern;
  const suffix = pattern.slice(STAR.length);
  if (!`.${hostname}`.endsWith(suffix)) return false;
  // The website itself may have another name below `localhost`.
  return !isShared || isUuid(hostname.slice(0, -suffix.length).split('.').at(-1) ?? '');
}

/** Whether the game is played on this host. On the host of another game, a build could read that game's storage. */
export function isHostOf(ctx: Context, hostname: string, gameId: string): boolean {
  if (!isPlayHost(ctx, hostname)) return areShared(ctx);
  return new URL(ownOriginOf(ctx, gameId) ?? '').hostname === hostname;
}
