// The pages of visitors, accounts, organisations and operators: each with its path, its data and its code. Also what all
// routes share. The server writes the public pages (packages/server/src/site/pages).
import { getCli } from '@chauffeur/contract/operations/cli';
import { isPlayerPage, matchPage, PAGES_WITH_TEXTS } from '@chauffeur/contract/pages';
import { PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { ask } from './api.ts';
import { Frame } from './frame/Frame.tsx';
import { loadCode } from './frame/load-code.ts';
import { UnknownPage } from './frame/UnknownPage.tsx';
import { AUDIT_FILTERS } from './pages/audit/audit-filters.ts';
import { session } from './session.ts';
import { hasAllTexts, preferredLanguage, texts } from './texts.tsx';

type Needs = { queries: QueryClient };

export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadCode(load), name);

export const root = createRootRouteWithContext<Needs>()({
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
  const language = isPlayerPage(path) ? (preferredLanguage ?? texts.language) : PAGE_LANGUAGES[0];
  const needsAll = name !== undefined && PAGES_WITH_TEXTS.has(name);
  return language === texts.language && (hasAllTexts || !needsAll);
}

function loadDocument(href: string): Promise<never> {
  location.assign(href);
  return new Promise(() => undefined);
}

/** The router keeps search parameters that a route does not mention, so invalid ones are set to undefined. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The search parameters of these names as text. The page validates them. */
export const textSearch =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.map((name) => [name, typeof search[name] === 'string' ? search[name] : undefined]),
    ) as Partial<Record<Name, string | undefined>>;

/** The parent of pages that need an account. Visitors sign in first, then come back. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const person = await context.queries.ensureQueryData(session);
    if (person === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

const play = createRoute({
  getParentRoute: () => root,
  path: '/g/$uid/play',
  validateSearch: ({ channel, referrer }): { channel?: string | undefined; referrer?: string | undefined } => ({
    channel: textOf(channel),
    referrer: textOf(referrer),
  }),
  loaderDeps: ({ search: { channel } }) => ({ channel }),
  // The query starts while the code of the page is loading. A failure is shown by the page, which asks again.
  loader: ({ context, params, deps }) => {
    import('./pages/play/public-game.ts').then(
      ({ publicGameQuery }) => context.queries.prefetchQuery(publicGameQuery(params.uid, deps.channel)),
      () => undefined,
    );
  },
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

const apiTokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyPage(() => import('./pages/api-tokens/ApiTokensPage.tsx'), 'ApiTokensPage'),
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

export const visitorPages = { play, reportBug, cli, signIn, signUp, setup, verify, reset, unsubscribe };

export const accountPages = {
  approve,
  invitation,
  organisation,
  organisationAudit,
  operator: operator.addChildren([
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
  settings: settings.addChildren([profile, security, agentKeys, apiTokens, agents]),
  games,
};
