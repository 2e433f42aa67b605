// The sections of a game's developer pages.

export const SECTIONS = [
  { to: '/dev/$slug', name: 'Overview', key: 'o', shortcut: 'Go to overview', exact: true },
  { to: '/dev/$slug/builds', name: 'Builds', key: 'b', shortcut: 'Go to builds', exact: false },
  { to: '/dev/$slug/channels', name: 'Channels', key: 'c', shortcut: 'Go to channels', exact: false },
  { to: '/dev/$slug/crashes', name: 'Crashes', key: 'x', shortcut: 'Go to crashes', exact: false },
  { to: '/dev/$slug/bugs', name: 'Bugs', key: 'u', shortcut: 'Go to bugs', exact: false },
  { to: '/dev/$slug/health', name: 'Health', key: 'h', shortcut: 'Go to health', exact: false },
  { to: '/dev/$slug/events', name: 'Events', key: 'v', shortcut: 'Go to events', exact: false },
  { to: '/dev/$slug/statistics', name: 'Statistics', key: 's', shortcut: 'Go to statistics', exact: false },
  { to: '/dev/$slug/settings', name: 'Settings', key: 'e', shortcut: 'Go to settings', exact: false },
] as const;

/** The section of pages whose address begins with another word: `/dev/parking/versions` is in Builds. */
export const SECTION_OF_PART: Readonly<Record<string, (typeof SECTIONS)[number]['name']>> = {
  versions: 'Builds',
  version: 'Builds',
  rollouts: 'Channels',
  alerts: 'Crashes',
};
