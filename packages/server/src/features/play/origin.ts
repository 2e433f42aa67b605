// On which host games are played: the website’s own, or one that the operator set apart for them.
import type { Context } from '../../context.ts';

/** CHAUFFEUR_PLAY_URL with a star gives each game a host of its own. */
const STAR = '*';

/** The origin on which a game is played, without a slash at its end. */
export function originOf({ config, publicUrl }: Context, gameId: string): string {
  return config.playUrl === undefined ? publicUrl : config.playUrl.replace(STAR, gameId);
}

/** Whether games have an origin that the website does not share: there they may keep their own, and with it their storage. */
export function isApart({ config }: Context): boolean {
  return config.playUrl !== undefined;
}

/** What a page of the website has to allow to be framed, for Content-Security-Policy. */
export function frameSource({ config }: Context): string {
  // The site may be open under another name than the public one, such as localhost; all else of it refuses to be framed.
  return config.playUrl ?? "'self'";
}

/** Whether a request to this host, given without its port, is one to a host of games; never without CHAUFFEUR_PLAY_URL. */
export function isPlayHost({ config }: Context, hostname: string): boolean {
  if (config.playUrl === undefined) return false;
  const { hostname: pattern } = new URL(config.playUrl);
  if (!pattern.startsWith(STAR)) return hostname === pattern;
  const suffix = pattern.slice(STAR.length);
  return hostname.endsWith(suffix) && !hostname.slice(0, -suffix.length).includes('.');
}

/** Whether the game is played on this host. A build of one game on the host of another would read what that one keeps. */
export function isHostOf(ctx: Context, hostname: string, gameId: string): boolean {
  return !isApart(ctx) || new URL(originOf(ctx, gameId)).hostname === hostname;
}
