// The developer pages of a game: each with its path, its data and its code.
import { createRoute, redirect } from '@tanstack/react-router';
import { GameFrame } from './frame/GameFrame.tsx';
import { AUDIT_FILTERS } from './pages/audit/audit-filters.ts';
import { loadGame } from './pages/games/use-game.ts';
import { lazyPage, signedIn, textSearch } from './routes.ts';

/** The address of a developer page, whose game may be named by its uid, with the slug of the game. */
const withSlug = (href: string, slug: string): string => href.replace(/^\/dev\/[^/?#]+/, `/dev/${slug}`);

const dev = createRoute({
  getParentRoute: () => signedIn,
  path: '/dev/$slug',
  loader: async ({ context, params, location }) => {
    const { slug } = await loadGame(context.queries, params.slug);
    // Links to the sections have the slug, and mark the open one by comparing addresses.
    if (slug !== params.slug) throw redirect({ href: withSlug(location.href, slug), replace: true });
  },
  component: GameFrame,
});

const overview = createRoute({
  getParentRoute: () => dev,
  path: '/',
  validateSearch: textSearch('table'),
  component: lazyPage(() => import('./pages/games/OverviewPage.tsx'), 'OverviewPage'),
});

const builds = createRoute({
  getParentRoute: () => dev,
  path: '/builds',
  validateSearch: textSearch('search', 'os', 'channel', 'state', 'sort', 'page', 'rejected'),
  component: lazyPage(() => import('./pages/builds/BuildsPage.tsx'), 'BuildsPage'),
});

const buildCompare = createRoute({
  getParentRoute: () => dev,
  path: '/builds/compare',
  validateSearch: textSearch('a', 'b'),
  component: lazyPage(() => import('./pages/builds/CompareBuildsPage.tsx'), 'CompareBuildsPage'),
});

const build = createRoute({
  getParentRoute: () => dev,
  path: '/builds/$buildId',
  validateSearch: textSearch('promote'),
  component: lazyPage(() => import('./pages/builds/BuildPage.tsx'), 'BuildPage'),
});

const versions = createRoute({
  getParentRoute: () => dev,
  path: '/versions',
  validateSearch: textSearch('search'),
  component: lazyPage(() => import('./pages/versions/VersionsPage.tsx'), 'VersionsPage'),
});

/** A version can contain any characters, even only dots, so it is not a part of the path. */
const version = createRoute({
  getParentRoute: () => dev,
  path: '/version',
  validateSearch: textSearch('version'),
  component: lazyPage(() => import('./pages/versions/VersionPage.tsx'), 'VersionPage'),
});

const channels = createRoute({
  getParentRoute: () => dev,
  path: '/channels',
  validateSearch: textSearch('history'),
  component: lazyPage(() => import('./pages/channels/ChannelsPage.tsx'), 'ChannelsPage'),
});

const rollout = createRoute({
  getParentRoute: () => dev,
  path: '/rollouts/$rolloutId',
  component: lazyPage(() => import('./pages/rollouts/RolloutPage.tsx'), 'RolloutPage'),
});

const crashes = createRoute({
  getParentRoute: () => dev,
  path: '/crashes',
  validateSearch: textSearch('kind', 'view', 'q', 'sort'),
  component: lazyPage(() => import('./pages/crashes/CrashesPage.tsx'), 'CrashesPage'),
});

const crashGroup = createRoute({
  getParentRoute: () => dev,
  path: '/crashes/groups/$groupId',
  validateSearch: textSearch('hidden', 'table'),
  component: lazyPage(() => import('./pages/crashes/GroupPage.tsx'), 'GroupPage'),
});

const crashReport = createRoute({
  getParentRoute: () => dev,
  path: '/crashes/reports/$crashId',
  component: lazyPage(() => import('./pages/crashes/ReportPage.tsx'), 'ReportPage'),
});

const crashCompare = createRoute({
  getParentRoute: () => dev,
  path: '/crashes/compare',
  validateSearch: textSearch('a', 'b'),
  component: lazyPage(() => import('./pages/crashes/CompareReportsPage.tsx'), 'CompareReportsPage'),
});

const alertAction = createRoute({
  getParentRoute: () => dev,
  path: '/alerts/$token',
  component: lazyPage(() => import('./pages/crashes/AlertActionPage.tsx'), 'AlertActionPage'),
});

const bugs = createRoute({
  getParentRoute: () => dev,
  path: '/bugs',
  validateSearch: textSearch('status', 'label', 'q', 'mine'),
  component: lazyPage(() => import('./pages/bugs/BugsPage.tsx'), 'BugsPage'),
});

const bug = createRoute({
  getParentRoute: () => bugs,
  path: '/$bugUid',
  component: lazyPage(() => import('./pages/bugs/BugTicket.tsx'), 'BugTicket'),
});

const health = createRoute({
  getParentRoute: () => dev,
  path: '/health',
  validateSearch: textSearch('build', 'other', 'show', 'hidden', 'table'),
  component: lazyPage(() => import('./pages/health/HealthPage.tsx'), 'HealthPage'),
});

const events = createRoute({
  getParentRoute: () => dev,
  path: '/events',
  validateSearch: textSearch('events', 'range', 'step', 'split', 'hidden', 'table', 'device'),
  component: lazyPage(() => import('./pages/events/EventsPage.tsx'), 'EventsPage'),
});

const statistics = createRoute({
  getParentRoute: () => dev,
  path: '/statistics',
  validateSearch: textSearch('days', 'build', 'hidden', 'table'),
  component: lazyPage(() => import('./pages/statistics/StatisticsPage.tsx'), 'StatisticsPage'),
});

const gameSettings = createRoute({
  getParentRoute: () => dev,
  path: '/settings',
  component: lazyPage(() => import('./pages/games/GameSettings.tsx'), 'GameSettings'),
});

const settingsStart = createRoute({
  getParentRoute: () => gameSettings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/dev/$slug/settings/listing', params, replace: true });
  },
});

const settingsListing = createRoute({
  getParentRoute: () => gameSettings,
  path: '/listing',
  component: lazyPage(() => import('./pages/games/ListingPage.tsx'), 'ListingPage'),
});

const settingsMedia = createRoute({
  getParentRoute: () => gameSettings,
  path: '/media',
  component: lazyPage(() => import('./pages/media/MediaPage.tsx'), 'MediaPage'),
});

const settingsKeys = createRoute({
  getParentRoute: () => gameSettings,
  path: '/keys',
  component: lazyPage(() => import('./pages/deploy-keys/KeysPage.tsx'), 'KeysPage'),
});

const settingsAdmins = createRoute({
  getParentRoute: () => gameSettings,
  path: '/admins',
  component: lazyPage(() => import('./pages/games/AdminsPage.tsx'), 'AdminsPage'),
});

const settingsAudit = createRoute({
  getParentRoute: () => gameSettings,
  path: '/audit',
  validateSearch: textSearch('failed', ...AUDIT_FILTERS),
  component: lazyPage(() => import('./pages/agents/AuditPage.tsx'), 'AuditPage'),
});

const settingsAlerts = createRoute({
  getParentRoute: () => gameSettings,
  path: '/alerts',
  component: lazyPage(() => import('./pages/alerts/AlertsPage.tsx'), 'AlertsPage'),
});

const settingsGrouping = createRoute({
  getParentRoute: () => gameSettings,
  path: '/grouping',
  component: lazyPage(() => import('./pages/grouping/GroupingPage.tsx'), 'GroupingPage'),
});

const settingsSentry = createRoute({
  getParentRoute: () => gameSettings,
  path: '/sentry',
  validateSearch: textSearch('sdk'),
  component: lazyPage(() => import('./pages/sentry/SentryPage.tsx'), 'SentryPage'),
});

const settingsBugs = createRoute({
  getParentRoute: () => gameSettings,
  path: '/bugs',
  component: lazyPage(() => import('./pages/bugs/BugSettingsPage.tsx'), 'BugSettingsPage'),
});

const settingsSource = createRoute({
  getParentRoute: () => gameSettings,
  path: '/source',
  component: lazyPage(() => import('./pages/source/SourcePage.tsx'), 'SourcePage'),
});

const settingsIssues = createRoute({
  getParentRoute: () => gameSettings,
  path: '/issues',
  component: lazyPage(() => import('./pages/issues/IssueTrackerPage.tsx'), 'IssueTrackerPage'),
});

const settingsEventFiles = createRoute({
  getParentRoute: () => gameSettings,
  path: '/event-files',
  component: lazyPage(() => import('./pages/event-files/EventFilesPage.tsx'), 'EventFilesPage'),
});

const settingsDanger = createRoute({
  getParentRoute: () => gameSettings,
  path: '/danger',
  component: lazyPage(() => import('./pages/games/DangerPage.tsx'), 'DangerPage'),
});

export const developer = dev.addChildren([
  overview,
  builds,
  build,
  buildCompare,
  versions,
  version,
  channels,
  rollout,
  crashes,
  crashGroup,
  crashReport,
  crashCompare,
  alertAction,
  bugs.addChildren([bug]),
  health,
  events,
  statistics,
  gameSettings.addChildren([
    settingsStart,
    settingsListing,
    settingsMedia,
    settingsKeys,
    settingsAdmins,
    settingsAlerts,
    settingsGrouping,
    settingsIssues,
    settingsSource,
    settingsSentry,
    settingsBugs,
    settingsEventFiles,
    settingsAudit,
    settingsDanger,
  ]),
]);
