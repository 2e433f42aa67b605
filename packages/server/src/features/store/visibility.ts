// Who sees which channel (spec: Channels): stable everyone, beta who joined, dev the game's members, others by link only.

export type Viewer = {
  /** Owner or admin of the game, or its deploy key. */
  readonly isMember: boolean;
  readonly isBetaPlayer: boolean;
};

/** Whether the viewer may download from the channel, given a link. */
export function isReachable(channel: string, viewer: Viewer): boolean {
  if (viewer.isMember) return true;
  if (channel === 'dev') return false;
  return channel !== 'beta' || viewer.isBetaPlayer;
}

/**
 * Whether a game’s page lists the channel to the viewer; `asked` is the channel that the link names. A channel of the
 * developer’s own naming is shown to members and to who names it.
 */
export function isListed(channel: string, viewer: Viewer, asked: string | undefined): boolean {
  if (asked !== undefined) return channel === asked && isReachable(channel, viewer);
  if (viewer.isMember) return true;
  return channel === 'stable' || (channel === 'beta' && viewer.isBetaPlayer);
}
