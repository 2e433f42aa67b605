// Creates the router of the website's program from the routes of all pages.
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { Site } from './frame/Frame.tsx';
import { notePage } from './frame/going-back.ts';
import { restoreTyped } from './frame/keep-typed.ts';
import { setNavigation } from './frame/load-code.ts';
import { PageProblem } from './frame/UnknownPage.tsx';
import { developer } from './game-routes.ts';
import { accountPages, root, signedIn, visitorPages } from './routes.ts';

const pages = root.addChildren({
  ...visitorPages,
  signedIn: signedIn.addChildren({ ...accountPages, developer }),
});

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
