// Every page of the website: its address, what it needs before it is shown, and where its code is.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Frame } from './frame/Frame.tsx';
import { PageProblem } from './frame/PageProblem.tsx';
import { UnknownPage } from './frame/UnknownPage.tsx';
import { HomePage, loadHome } from './pages/store/HomePage.tsx';
import { foundQuery, gameQuery, provenanceQuery, type Wanted } from './pages/store/store-queries.ts';
import { session } from './session.ts';

type Needs = { queries: QueryClient };

const root = createRootRouteWithContext<Needs>()({ component: Frame, notFoundComponent: UnknownPage });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: HomePage,
  loader: ({ context }) => loadHome(context.queries),
});

/** What is refused has to be set to undefined, as below. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const browse = createRoute({
  getParentRoute: () => root,
  path: '/browse',
  validateSearch: ({ q, os, tag }): Wanted => ({ q: textOf(q), os: textOf(os), tag: textOf(tag) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queries.prefetchInfiniteQuery(foundQuery(deps)),
  component: lazyRouteComponent(() => import('./pages/store/BrowsePage.tsx'), 'BrowsePage'),
});

const game = createRoute({
  getParentRoute: () => root,
  path: '/g/$uid',
  validateSearch: ({ channel }): { channel?: string | undefined } => ({ channel: textOf(channel) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void context.queries.prefetchQuery(gameQuery(params.uid, deps.channel)),
  component: lazyRouteComponent(() => import('./pages/store/GamePage.tsx'), 'GamePage'),
});

const file = createRoute({
  getParentRoute: () => root,
  path: '/g/$uid/files/$file_uid',
  validateSearch: ({ q }): { q?: string | undefined } => ({ q: textOf(q) }),
  loader: ({ context, params }) => void context.queries.prefetchQuery(provenanceQuery(params.uid, params.file_uid)),
  component: lazyRouteComponent(() => import('./pages/store/FilePage.tsx'), 'FilePage'),
});

/**
 * Where somebody goes on after signing in: a page of this site, never another’s. What is refused has to be set to undefined: the router
 * keeps what it is not told of.
 */
const onward = ({ next }: Record<string, unknown>): { next?: string | undefined } => ({
  next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: onward,
  component: lazyRouteComponent(() => import('./pages/accounts/SignInPage.tsx'), 'SignInPage'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: onward,
  component: lazyRouteComponent(() => import('./pages/accounts/SignUpPage.tsx'), 'SignUpPage'),
});

const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  validateSearch: ({ error }): { error?: string } => (typeof error === 'string' ? { error } : {}),
  component: lazyRouteComponent(() => import('./pages/accounts/VerifyPage.tsx'), 'VerifyPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  validateSearch: ({ token, error }): { token?: string; error?: string } => ({
    ...(typeof token === 'string' && { token }),
    ...(typeof error === 'string' && { error }),
  }),
  component: lazyRouteComponent(() => import('./pages/accounts/ResetPage.tsx'), 'ResetPage'),
});

/** Pages behind it are for who is signed in; others sign in first and come back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const person = await context.queries.ensureQueryData(session);
    if (person === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

const reportBug = createRoute({
  getParentRoute: () => signedIn,
  path: '/g/$uid/report',
  component: lazyRouteComponent(() => import('./pages/bugs/ReportBugPage.tsx'), 'ReportBugPage'),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/accounts/SettingsFrame.tsx'), 'SettingsFrame'),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyRouteComponent(() => import('./pages/accounts/ProfilePage.tsx'), 'ProfilePage'),
});

const security = createRoute({
  getParentRoute: () => settings,
  path: '/security',
  component: lazyRouteComponent(() => import('./pages/accounts/SecurityPage.tsx'), 'SecurityPage'),
});

const games = createRoute({
  getParentRoute: () => signedIn,
  path: '/dev',
  component: lazyRouteComponent(() => import('./pages/games/GamesPage.tsx'), 'GamesPage'),
});

/** Of an address, the texts under these names; what is wrong with them is the page’s to say. */
const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.map((name) => [name, typeof search[name] === 'string' ? search[name] : undefined]),
    ) as Partial<Record<Name, string | undefined>>;

const dev = createRoute({
  getParentRoute: () => signedIn,
  path: '/dev/$slug',
  // Imported here: what developers need is no part of what players load.
  loader: async ({ context, params }) => {
    const { loadGame } = await import('./pages/games/use-game.ts');
    await loadGame(context.queries, params.slug);
  },
  component: lazyRouteComponent(() => import('./frame/GameFrame.tsx'), 'GameFrame'),
});

const overview = createRoute({
  getParentRoute: () => dev,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/games/OverviewPage.tsx'), 'OverviewPage'),
});

const builds = createRoute({
  getParentRoute: () => dev,
  path: '/builds',
  validateSearch: texts('search', 'os', 'channel', 'state', 'page'),
  component: lazyRouteComponent(() => import('./pages/builds/BuildsPage.tsx'), 'BuildsPage'),
});

const build = createRoute({
  getParentRoute: () => dev,
  path: '/builds/$buildId',
  component: lazyRouteComponent(() => import('./pages/builds/BuildPage.tsx'), 'BuildPage'),
});

const channels = createRoute({
  getParentRoute: () => dev,
  path: '/channels',
  validateSearch: texts('history'),
  component: lazyRouteComponent(() => import('./pages/channels/ChannelsPage.tsx'), 'ChannelsPage'),
});

const edit = createRoute({
  getParentRoute: () => dev,
  path: '/edit',
  component: lazyRouteComponent(() => import('./pages/games/EditFrame.tsx'), 'EditFrame'),
});

const editStart = createRoute({
  getParentRoute: () => edit,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/dev/$slug/edit/listing', params, replace: true });
  },
});

const editListing = createRoute({
  getParentRoute: () => edit,
  path: '/listing',
  component: lazyRouteComponent(() => import('./pages/games/ListingPage.tsx'), 'ListingPage'),
});

const editImages = createRoute({
  getParentRoute: () => edit,
  path: '/images',
  component: lazyRouteComponent(() => import('./pages/media/ImagesPage.tsx'), 'ImagesPage'),
});

const editKeys = createRoute({
  getParentRoute: () => edit,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/deploy-keys/KeysPage.tsx'), 'KeysPage'),
});

const editAdmins = createRoute({
  getParentRoute: () => edit,
  path: '/admins',
  component: lazyRouteComponent(() => import('./pages/games/AdminsPage.tsx'), 'AdminsPage'),
});

const developer = dev.addChildren([
  overview,
  builds,
  build,
  channels,
  edit.addChildren([editStart, editListing, editImages, editKeys, editAdmins]),
]);

const pages = root.addChildren([
  home,
  browse,
  game,
  file,
  signIn,
  signUp,
  verify,
  reset,
  signedIn.addChildren([reportBug, settings.addChildren([profile, security]), games, developer]),
]);

export function createSite(queries: QueryClient) {
  return createRouter({
    routeTree: pages,
    context: { queries },
    defaultPreload: 'intent',
    // What is kept, and for how long, is the query client’s to say.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageProblem,
    scrollRestoration: true,
    // Addresses hold texts alone: a version of 1.0 stays so, and is no number.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
    },
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createSite>;
  }
}
