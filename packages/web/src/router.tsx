// Every page of the website's program: its path, its data and its code. The server writes the public pages
// (packages/server/src/site/pages).
import { getCli } from '@chauffeur/contract/operations/cli';
import { isPlayerPage, matchPage, PAGES_WITH_TEXTS } from '@chauffeur/contract/pages';
import { LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ask } from './api.ts';
import { Frame, Site } from './frame/Frame.tsx';
import { GameFrame } from './frame/GameFrame.tsx';
import { notePage } from './frame/going-back.ts';
import { restoreTyped } from './frame/keep-typed.ts';
import { loadCode, setNavigation } from './frame/load-code.ts';
import { PageProblem, UnknownPage } from './frame/UnknownPage.tsx';
import { AUDIT_FILTERS } from './pages/audit/audit-search.ts';
import { loadGame, publicGameQuery } from './pages/games/use-game.ts';
import { session } from './session.ts';
import { hasAllTexts, preferredLanguage, texts } from './texts.tsx';

type Needs = { queries: QueryClient };

const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadCode(load), name);

const root = createRootRouteWithContext<Needs>()({
  beforeLoad: ({ location: { pathname, href }, preload }) => {
    // A document has the texts of one language, and only what its page needs of them. Nothing is shown until the other
    // one has replaced it.
    if (!preload && !hasTextsFor(pathname)) return loadDocument(href);
    return undefined;
  },
  component: Frame,
  notFoundComponent: UnknownPage,
});

/** Pages for players are in the language that the visitor prefers, and pages for developers in English. */
function hasTextsFor(path: string): boolean {
  const name = matchPage(path)?.name;
  const language = isPlayerPage(path) ? (preferredLanguage ?? texts.language) : LANGUAGES[0];
  const needsAll = name !== undefined && PAGES_WITH_TEXTS.has(name);
  return language === texts.language && (hasAllTexts || !needsAll);
}

function loadDocument(href: string): Promise<never> {
  location.assign(href);
  return new Promise(() => undefined);
}

/** The router keeps search parameters that a route does not mention, so invalid ones are set to undefined. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const play = createRoute({
  getParentRoute: () => root,
  path: '/g/$uid/play',
  validateSearch: ({ channel, referrer }): { channel?: string | undefined; referrer?: string | undefined } => ({
    channel: textOf(channel),
    referrer: textOf(referrer),
  }),
  loaderDeps: ({ search: { channel } }) => ({ channel }),
  loader: ({ context, params, deps }) => void context.queries.prefetchQuery(publicGameQuery(params.uid, deps.channel)),
  component: lazyPage(() => import('./pages/play/PlayPage.tsx'), 'PlayPage'),
});

const cli = createRoute({
  getParentRoute: () => root,
  path: '/cli',
  loader: ({ context }) => void context.queries.prefetchQuery(ask(getCli, {})),
  component: lazyPage(() => import('./pages/cli/CliPage.tsx'), 'CliPage'),
});

/** The page to open after sign-in. Only paths of this site are allowed. */
const nextPath = ({ next }: Record<string, unknown>): { next?: string | undefined } => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string | undefined; error?: string | undefined } => ({
    ...nextPath(search),
    error: textOf(search.error),
  }),
  component: lazyPage(() => import('./pages/accounts/SignInPage.tsx'), 'SignInPage'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: nextPath,
  component: lazyPage(() => import('./pages/accounts/SignUpPage.tsx'), 'SignUpPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('./pages/setup/SetupPage.tsx'), 'SetupPage'),
});

const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  validateSearch: ({ error, email }): { error?: string; email?: string } => ({
    ...(typeof error === 'string' && { error }),
    ...(typeof email === 'string' && { email }),
  }),
  component: lazyPage(() => import('./pages/accounts/VerifyPage.tsx'), 'VerifyPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  validateSearch: ({ token, error }): { token?: string; error?: string } => ({
    ...(typeof token === 'string' && { token }),
    ...(typeof error === 'string' && { error }),
  }),
  component: lazyPage(() => import('./pages/accounts/ResetPage.tsx'), 'ResetPage'),
});

/** Its pages need an account. Visitors sign in first, then come back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const person = await context.queries.ensureQueryData(session);
    if (person === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

const reportBug = createRoute({
  getParentRoute: () => root,
  path: '/g/$uid/report',
  component: lazyPage(() => import('./pages/bugs/ReportBugPage.tsx'), 'ReportBugPage'),
});

const approve = createRoute({
  getParentRoute: () => signedIn,
  path: '/approve/$uid',
  component: lazyPage(() => import('./pages/approvals/ApprovalPage.tsx'), 'ApprovalPage'),
});

const invitation = createRoute({
  getParentRoute: () => signedIn,
  path: '/invitations/$token',
  component: lazyPage(() => import('./pages/invitations/InvitationPage.tsx'), 'InvitationPage'),
});

const organisation = createRoute({
  getParentRoute: () => signedIn,
  path: '/org/$organisation',
  component: lazyPage(() => import('./pages/organisations/OrganisationPage.tsx'), 'OrganisationPage'),
});

const organisationAudit = createRoute({
  getParentRoute: () => signedIn,
  path: '/org/$organisation/audit',
  validateSearch: (search: Record<string, unknown>) => textSearch(...AUDIT_FILTERS)(search),
  component: lazyPage(() => import('./pages/organisations/OrganisationAuditPage.tsx'), 'OrganisationAuditPage'),
});

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe/$token',
  component: lazyPage(() => import('./pages/alerts/UnsubscribePage.tsx'), 'UnsubscribePage'),
});

const operator = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator',
  component: lazyPage(() => import('./pages/operator/OperatorFrame.tsx'), 'OperatorFrame'),
});

const operatorState = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: lazyPage(() => import('./pages/operator/StatusPage.tsx'), 'StatusPage'),
});

const operatorJobs = createRoute({
  getParentRoute: () => operator,
  path: '/jobs',
  component: lazyPage(() => import('./pages/operator/FailedJobsPage.tsx'), 'FailedJobsPage'),
});

const operatorUsers = createRoute({
  getParentRoute: () => operator,
  path: '/users',
  validateSearch: ({ search }): { search?: string | undefined } => ({ search: textOf(search) }),
  component: lazyPage(() => import('./pages/operator/UsersPage.tsx'), 'UsersPage'),
});

const operatorAudit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>) => textSearch(...AUDIT_FILTERS)(search),
  component: lazyPage(() => import('./pages/operator/OperatorAuditPage.tsx'), 'OperatorAuditPage'),
});

const operatorStore = createRoute({
  getParentRoute: () => operator,
  path: '/store',
  component: lazyPage(() => import('./pages/operator/StorePage.tsx'), 'StorePage'),
});

const operatorGames = createRoute({
  getParentRoute: () => operator,
  path: '/games',
  validateSearch: ({ search }): { search?: string | undefined } => ({ search: textOf(search) }),
  component: lazyPage(() => import('./pages/operator/GameStoragePage.tsx'), 'GameStoragePage'),
});

const operatorSettings = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  component: lazyPage(() => import('./pages/operator/OperatorSettingsPage.tsx'), 'OperatorSettingsPage'),
});

const operatorSetup = createRoute({
  getParentRoute: () => operator,
  path: '/setup',
  component: lazyPage(() => import('./pages/setup/InstallationPage.tsx'), 'InstallationPage'),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyPage(() => import('./pages/accounts/SettingsFrame.tsx'), 'SettingsFrame'),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyPage(() => import('./pages/accounts/ProfilePage.tsx'), 'ProfilePage'),
});

const security = createRoute({
  getParentRoute: () => settings,
  path: '/security',
  component: lazyPage(() => import('./pages/accounts/SecurityPage.tsx'), 'SecurityPage'),
});

const agentKeys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyPage(() => import('./pages/agents/AgentKeysPage.tsx'), 'AgentKeysPage'),
});

const agents = createRoute({
  getParentRoute: () => settings,
  path: '/agents',
  component: lazyPage(() => import('./pages/agents/AgentsPage.tsx'), 'AgentsPage'),
});

const consent = createRoute({
  getParentRoute: () => signedIn,
  path: '/consent',
  validateSearch: ({ request }): { request?: string | undefined } => ({ request: textOf(request) }),
  component: lazyPage(() => import('./pages/agents/ConsentPage.tsx'), 'ConsentPage'),
});

const cliLogin = createRoute({
  getParentRoute: () => signedIn,
  path: '/cli/login',
  validateSearch: ({ code }): { code?: string | undefined } => ({ code: textOf(code) }),
  component: lazyPage(() => import('./pages/cli/CliLoginPage.tsx'), 'CliLoginPage'),
});

const games = createRoute({
  getParentRoute: () => signedIn,
  path: '/dev',
  validateSearch: ({ create }): { create?: string | undefined } => ({ create: textOf(create) }),
  component: lazyPage(() => import('./pages/games/GamesPage.tsx'), 'GamesPage'),
});

/** The search parameters of these names as text. The page validates them. */
const textSearch =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.map((name) => [name, typeof search[name] === 'string' ? search[name] : undefined]),
    ) as Partial<Record<Name, string | undefined>>;

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

const channels = createRoute({
  getParentRoute: () => dev,
  path: '/channels',
  validateSearch: textSearch('history'),
  component: lazyPage(() => import('./pages/channels/ChannelsPage.tsx'), 'ChannelsPage'),
});

const crashes = createRoute({
  getParentRoute: () => dev,
  path: '/crashes',
  validateSearch: textSearch('view', 'q', 'sort'),
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

const bugs = createRoute({
  getParentRoute: () => dev,
  path: '/bugs',
  validateSearch: textSearch('status', 'label', 'q'),
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

const developer = dev.addChildren([
  overview,
  builds,
  build,
  buildCompare,
  channels,
  crashes,
  crashGroup,
  crashReport,
  crashCompare,
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
    settingsBugs,
    settingsEventFiles,
    settingsAudit,
    settingsDanger,
  ]),
]);

const pages = root.addChildren([
  play,
  reportBug,
  cli,
  signIn,
  signUp,
  setup,
  verify,
  reset,
  unsubscribe,
  signedIn.addChildren([
    approve,
    invitation,
    organisation,
    organisationAudit,
    operator.addChildren([
      operatorState,
      operatorJobs,
      operatorUsers,
      operatorAudit,
      operatorStore,
      operatorGames,
      operatorSettings,
      operatorSetup,
    ]),
    consent,
    cliLogin,
    settings.addChildren([profile, security, agentKeys, agents]),
    games,
    developer,
  ]),
]);

export function createSite(queries: QueryClient) {
  const router = createRouter({
    routeTree: pages,
    context: { queries },
    defaultPreload: 'intent',
    // The query client decides how long data is fresh.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageProblem,
    InnerWrap: Site,
    scrollRestoration: true,
    // Search parameters are always text: version 1.0 must not become the number 1.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
    },
  });
  setNavigation(() => router.state.status === 'pending');
  router.subscribe('onRendered', ({ toLocation: { pathname, state } }) => {
    notePage({ index: state.__TSR_index, pathname });
    restoreTyped(pathname);
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createSite>;
  }
}
