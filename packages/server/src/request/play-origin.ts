// Finds the host on which games are played: the website's own, or one that the operator configured.
import type { Context } from '../context.ts';

/** With a star in CHAUFFEUR_PLAY_URL, each game has a host of its own. */
const STAR = '*';

/** The origin on which a game is played, without a trailing slash. */
export function originOf({ config, publicUrl }: Context, gameId: string): string {
  return config.playUrl === undefined ? publicUrl : config.playUrl.replace(STAR, gameId);
}

/**
 * Whether games have an origin that the website does not share. Only there may they keep their own origin, and with it
 * their storage.
 */
export function isApart({ config }: Context): boolean {
  return config.playUrl !== undefined;
}

/** What pages of the website may frame, for Content-Security-Policy. */
export function frameSource({ config }: Context): string {
  // Not the public URL: people may open the site under another name, such as localhost. All other pages refuse to be
  // framed, except for the widgets of games, which are the same for everyone.
  return config.playUrl ?? "'self'";
}

/**
 * Whether a host name, without its port, belongs to the domain of games, even if no game is played there; always false
 * without CHAUFFEUR_PLAY_URL.
 */
export function isPlayHost({ config }: Context, hostname: string): boolean {
  if (config.playUrl === undefined) return false;
  const { hostname: pattern } = new URL(config.playUrl);
  if (!pattern.startsWith(STAR)) return hostname === pattern;
  const suffix = pattern.slice(STAR.length);
  return `.${hostname}`.endsWith(suffix);
}

/** Whether the game is played on this host. On the host of another game, a build could read that game's storage. */
export function isHostOf(ctx: Context, hostname: string, gameId: string): boolean {
  return !isApart(ctx) || new URL(originOf(ctx, gameId)).hostname === hostname;
}
