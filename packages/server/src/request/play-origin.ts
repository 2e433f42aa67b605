// Finds the hosts on which games are played. With `CHAUFFEUR_PLAY_URL`, they are the operator's. On a loopback address,
// each game has a host below `localhost`, which browsers resolve without configuration (RFC 6761, section 6.3).
// Otherwise, games are played on the website's host, in a sandbox without an origin.
import type { Context } from '../context.ts';
import { isLoopbackName } from '../kernel/network/loopback.ts';
import { isUuid } from '../kernel/secrets/ids.ts';
import { perContext } from './per-context.ts';

/** The place of a game's uid in the address of games, each of which then has its own host. */
const STAR = '*';

type Hosts = {
  /** The origin of games, which may begin with a star; undefined if they have none. */
  readonly address: string | undefined;
  /**
   * Whether the website's host serves games too: to browsers that don't resolve names below `localhost`, and to people
   * who open a service on a loopback address from elsewhere, such as through a tunnel.
   */
  readonly areShared: boolean;
};

const hostsOf = perContext<Hosts>(({ config, publicUrl }) => {
  if (config.playUrl !== undefined) return { address: config.playUrl, areShared: false };
  const { protocol, hostname, port } = new URL(publicUrl);
  const isLocal = isLoopbackName(hostname) || hostname.endsWith('.localhost');
  const address = isLocal ? `${protocol}//${STAR}.localhost${port && `:${port}`}` : undefined;
  return { address, areShared: true };
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
  const { address, areShared: isShared } = hostsOf(ctx);
  if (address === undefined) return false;
  const { hostname: pattern } = new URL(address);
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
