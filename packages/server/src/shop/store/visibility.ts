// Decides who sees which channel (spec: Channels): stable is for everyone, beta for beta members, dev for game members,
// others need a link.

export type Viewer = {
  /** Has a role on the game, or its deploy key. */
  readonly isMember: boolean;
  readonly isBetaPlayer: boolean;
};

/** Whether the viewer may download from the channel with a link. */
export function isReachable(channel: string, viewer: Viewer): boolean {
  if (viewer.isMember) return true;
  if (channel === 'dev') return false;
  return channel !== 'beta' || viewer.isBetaPlayer;
}

/**
 * Whether the page of a game lists the channel to the viewer; `requested` is the channel in the link. A channel with a
 * custom name is listed for members and for links that name it.
 */
export function isListed(channel: string, viewer: Viewer, requested: string | undefined): boolean {
  if (requested !== undefined) return channel === requested && isReachable(channel, viewer);
  if (viewer.isMember) return true;
  return channel === 'stable' || (channel === 'beta' && viewer.isBetaPlayer);
}
