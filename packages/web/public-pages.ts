// In development, shows the public pages that the server writes, with the styles and scripts of the sources.
import { matchPage, PUBLIC_PAGES } from '@chauffeur/contract/pages';
import type { Plugin } from 'vite';

/** The document around every public page, which Vite gives its styles and scripts. */
const TEMPLATE = 'public.html';
/** The script with which Vite updates pages. */
const REFRESH = '/@react-refresh';
/** What the build of the website put into that document. */
const BUILT = /<(script|link)[^>]* (src|href)="\/assets\/[^>]*>(<\/script>)?\s*/g;

export function publicPages(service: string): Plugin {
  return {
    name: 'public pages',
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const address = request.originalUrl ?? '/';
        const page = matchPage(address.split('?', 1)[0] ?? '/');
        if (page === undefined || !PUBLIC_PAGES.has(page.name) || page.name.startsWith('doc')) return next();
        // Looks like the page of a developer.
        if (address === REFRESH) return next();
        const { cookie = '', 'user-agent': agent = '' } = request.headers;
        const written = await fetch(service + address, { headers: { cookie, 'user-agent': agent } }).catch(() => null);
        if (written === null) {
          response.statusCode = 503;
          return response.end('The server is starting. Reload the page.');
        }
        const document = (await written.text()).replace(BUILT, '').replace('</head>', `${await readSources()}</head>`);
        response.statusCode = written.status;
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(document);
      });
      async function readSources(): Promise<string> {
        const template = `<link rel="stylesheet" href="/src/public/public.css"><script type="module" src="/src/public/public.ts"></script>`;
        return server.transformIndexHtml(`/${TEMPLATE}`, template);
      }
    },
  };
}
