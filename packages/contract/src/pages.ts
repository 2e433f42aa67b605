// The paths of the website's pages. The server uses them to recognize pages, and pages, emails and agents use them for
// links.

/** Paths below the public URL, with `:name` for parameters. */
export const PAGES = {
  home: '/',
  browse: '/browse',
  game: '/g/:uid',
  file: '/g/:uid/files/:file_uid',
  follow: '/g/:uid/follow',
  confirmFollow: '/follow/:token',
  endFollow: '/unfollow/:token',
  ticket: '/tickets/:token',
  confirmReplies: '/confirm-replies/:token',
  endReplies: '/stop-replies/:token',
  blockMails: '/block-emails/:token',
  reportPage: '/g/:uid/report-page',
  imprint: '/imprint',
  privacy: '/privacy',
  terms: '/terms',
  reportBug: '/g/:uid/report',
  play: '/g/:uid/play',
  developer: '/@:handle',
  cli: '/cli',
  cliLogin: '/cli/login',
  docs: '/docs',
  // It comes before the pages, because the pattern of one of them matches it as well.
  docSearch: '/docs/search',
  doc: '/docs/:page',
  setup: '/setup',
  signIn: '/sign-in',
  signUp: '/sign-up',
  verify: '/verify',
  confirmEmail: '/confirm-email',
  reset: '/reset',
  profile: '/settings/profile',
  security: '/settings/security',
  agentKeys: '/settings/keys',
  apiTokens: '/settings/tokens',
  agents: '/settings/agents',
  consent: '/consent',
  approve: '/approve/:uid',
  invitation: '/invitations/:token',
  organisation: '/org/:organisation',
  organisationAudit: '/org/:organisation/audit',
  unsubscribe: '/unsubscribe/:token',
  operator: '/operator',
  operatorJobs: '/operator/jobs',
  operatorUsers: '/operator/users',
  operatorAudit: '/operator/audit',
  operatorStore: '/operator/store',
  operatorGames: '/operator/games',
  operatorSettings: '/operator/settings',
  operatorSetup: '/operator/setup',
  games: '/dev',
  overview: '/dev/:uid',
  builds: '/dev/:uid/builds',
  build: '/dev/:uid/builds/:build_id',
  buildCompare: '/dev/:uid/builds/compare',
  versions: '/dev/:uid/versions',
  version: '/dev/:uid/version',
  channels: '/dev/:uid/channels',
  rollout: '/dev/:uid/rollouts/:rollout_id',
  crashes: '/dev/:uid/crashes',
  crashGroup: '/dev/:uid/crashes/groups/:group_id',
  crashReport: '/dev/:uid/crashes/reports/:crash_id',
  alertAction: '/dev/:uid/alerts/:token',
  crashCompare: '/dev/:uid/crashes/compare',
  bugs: '/dev/:uid/bugs',
  bug: '/dev/:uid/bugs/:bug_uid',
  health: '/dev/:uid/health',
  events: '/dev/:uid/events',
  statistics: '/dev/:uid/statistics',
  settings: '/dev/:uid/settings',
  settingsListing: '/dev/:uid/settings/listing',
  settingsMedia: '/dev/:uid/settings/media',
  settingsKeys: '/dev/:uid/settings/keys',
  settingsAdmins: '/dev/:uid/settings/admins',
  settingsAlerts: '/dev/:uid/settings/alerts',
  settingsGrouping: '/dev/:uid/settings/grouping',
  settingsIssues: '/dev/:uid/settings/issues',
  settingsSource: '/dev/:uid/settings/source',
  settingsSentry: '/dev/:uid/settings/sentry',
  settingsBugs: '/dev/:uid/settings/bugs',
  settingsEventFiles: '/dev/:uid/settings/event-files',
  settingsAudit: '/dev/:uid/settings/audit',
  settingsDanger: '/dev/:uid/settings/danger',
} as const;

export type PageName = keyof typeof PAGES;

/** The pages that the server writes as documents. The others are pages of the website's program. */
export const PUBLIC_PAGES: ReadonlySet<PageName> = new Set([
  'home',
  'browse',
  'game',
  'file',
  'follow',
  'confirmFollow',
  'endFollow',
  'ticket',
  'confirmReplies',
  'endReplies',
  'blockMails',
  'confirmEmail',
  'reportPage',
  'imprint',
  'privacy',
  'terms',
  'developer',
  'docs',
  'docSearch',
  'doc',
] as const);

/** The pages of the program that are in the visitor's language. Its other pages are for developers, and in English. */
export const PLAYER_PAGES: ReadonlySet<PageName> = new Set([
  'play',
  'reportBug',
  'signIn',
  'signUp',
  'verify',
  'reset',
] as const);

/** The pages of the program whose texts are in the catalogue, and pages that share forms with them. */
export const PAGES_WITH_TEXTS: ReadonlySet<PageName> = new Set([
  ...PLAYER_PAGES,
  ...(['profile', 'security', 'setup'] as const),
]);

const PATTERNS = Object.entries(PAGES).map(([name, path]) => ({
  name: name as PageName,
  pattern: new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
}));

/** The page at a path with its parameters, which are not decoded; undefined if there is no such page. */
export function matchPage(path: string): { name: PageName; params: Readonly<Record<string, string>> } | undefined {
  for (const { name, pattern } of PATTERNS) {
    const match = pattern.exec(path);
    if (match !== null) return { name, params: { ...match.groups } };
  }
  return undefined;
}

/** Whether the page at the path is one of the program's, and in the visitor's language. */
export function isPlayerPage(path: string): boolean {
  const name = matchPage(path)?.name;
  return name !== undefined && PLAYER_PAGES.has(name);
}
