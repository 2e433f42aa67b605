// Small plugins of the build: the styles of the components that pages use, the font of the headings, the texts of the
// program, copies of shared modules, public pages in development, and the licences of the packages in the website.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matchPage, PUBLIC_PAGES } from '@chauffeur/contract/pages';
import { writeProgramTexts } from '@chauffeur/contract/texts/catalogue';
import { isLanguage, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { Plugin } from 'vite';
import { licencesOf } from '../../scripts/release/licences.ts';

const COMPONENT_STYLES = fileURLToPath(new URL('../styles', import.meta.resolve('@mantine/core')));
const ALL = '@mantine/core/styles.layer.css';
/** The styles that all components need. */
const BASE = ['baseline', 'default-css-variables', 'global'];
/** Colours of the library that the website doesn't use: nearly half of what all pages load as `BASE`. */
const UNUSED_COLOURS = /^\s*--mantine-color-(?:cyan|grape|indigo|lime|orange|pink|violet)-[\w-]+:[^;]*;\n/gm;
const VARIABLES = /@mantine\/core\/styles\/default-css-variables\.layer\.css$/;
/** The class names of a component, which the library keeps in a separate module. */
const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;

/**
 * Loads the styles of the components that a page uses, instead of those of the whole library: each component brings its
 * styles, in the order in which components build on each other. In development, the styles of the whole library are
 * loaded.
 */
export function componentStyles(): Plugin {
  return {
    name: 'component styles',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: new RegExp(`^${ALL}$`) },
      handler: () => ({ id: '\0component-styles', moduleSideEffects: true }),
    },
    load: {
      filter: { id: /^\0component-styles$/ },
      handler: () => importsOf(BASE),
    },
    transform: {
      filter: { id: [CLASS_NAMES, VARIABLES] },
      async handler(code, id) {
        if (VARIABLES.test(id)) return code.replace(UNUSED_COLOURS, '');
        const [, name = ''] = CLASS_NAMES.exec(id) ?? [];
        // Fails if the library no longer has one file for each module.
        await readFile(pathOf(name));
        return `${importsOf([name])}${code}`;
      },
    },
  };
}

function importsOf(names: readonly string[]): string {
  return names.map((name) => `import ${JSON.stringify(pathOf(name))};\n`).join('');
}

function pathOf(name: string): string {
  return `${COMPONENT_STYLES}/${name}.layer.css`;
}

/** Characters outside Western European languages are in another file. */
const FONT = /-latin-700-.*\.woff2$/;

/**
 * Lets browsers load the font of the headings before they have read the styles, because a page that was drawn without
 * it keeps the font that it began with. The server removes this from pages that don't use the font.
 */
export function preloadFont(): Plugin {
  return {
    name: 'preload font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const font = Object.keys(bundle).find((name) => FONT.test(name));
        if (font === undefined) throw new Error('the build has no font');
        const attrs = { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2', crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}

const TEXTS_TAG = '<script type="application/json" id="texts">';

/**
 * The texts of the website's program: messages are parsed before they get to browsers, which therefore need no parser.
 * The server writes the texts of one language into the document; in development, this does.
 */
export function programTexts(): Plugin {
  return {
    name: 'program texts',
    transformIndexHtml(html, { server, originalUrl = '/' }) {
      if (server === undefined) return html;
      const named = new URL(originalUrl, 'http://localhost').searchParams.get('lang') ?? undefined;
      const language = isLanguage(named) ? named : PAGE_LANGUAGES[0];
      return html.replace(TEXTS_TAG, () => TEXTS_TAG + writeProgramTexts(language, 'pages with texts'));
    },
  };
}

/** Modules that the program and the other scripts of the website both use. */
const COPIED = /\/browser\.ts$/;
/** The folders of the scripts of public pages and of the documentation. */
const SCRIPTS = /\/src\/(site|docs)\//;

/**
 * Gives the scripts of the public pages and of the documentation their own copies of modules, because a file that they
 * share with the program would be one more request of each page.
 */
export function copiedModules(): Plugin {
  return {
    name: 'copied modules',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: COPIED },
      async handler(source, importer = '') {
        const [, script] = SCRIPTS.exec(importer.replaceAll('\\', '/')) ?? [];
        if (script === undefined) return null;
        const module = await this.resolve(source, importer, { skipSelf: true });
        return module === null ? null : `${module.id}?${script}`;
      },
    },
  };
}

/** The document around every public page, which Vite gives its styles and scripts. */
const TEMPLATE = 'public.html';
/** The script with which Vite updates pages. */
const REFRESH = '/@react-refresh';
/** The tags that the build of the website added to that document. */
const BUILT = /<(script|link)[^>]* (src|href)="\/assets\/[^>]*>(<\/script>)?\s*/g;

/** In development, shows the public pages that the server writes, with the styles and scripts of the sources. */
export function publicPages(service: string): Plugin {
  return {
    name: 'public pages',
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const address = request.originalUrl ?? '/';
        const page = matchPage(address.split('?', 1)[0] ?? '/');
        if (page === undefined || !PUBLIC_PAGES.has(page.name) || page.name.startsWith('doc')) return next();
        // It would match the page of a developer.
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
        const template = `<link rel="stylesheet" href="/src/site/public-pages.css"><script type="module" src="/src/site/public-pages.ts"></script>`;
        return server.transformIndexHtml(`/${TEMPLATE}`, template);
      }
    },
  };
}

/** The path below the root of the website. */
const FILE = 'third-party-licences.txt';
const STYLES = /\.css$/;
/** Parameters that plugins add to paths. */
const PARAMETERS = /\?.*$/;

/**
 * Writes the licences of the packages whose code, styles and fonts are in the files of the website, which are copies of
 * them.
 */
export function thirdParty(): Plugin {
  let root = '';
  return {
    name: 'third-party licences',
    apply: 'build',
    configResolved(config) {
      root = config.root;
    },
    async generateBundle(_options, bundle) {
      const modules = new Set<string>();
      for (const file of Object.values(bundle)) {
        if (file.type === 'asset') for (const name of file.originalFileNames) modules.add(resolve(root, name));
        else
          for (const [id, { renderedLength }] of Object.entries(file.modules)) if (renderedLength > 0) modules.add(id);
      }
      // The code of a module of styles is empty: the styles are in an asset.
      for (const id of this.getModuleIds()) if (STYLES.test(id)) modules.add(id);
      const files = [...modules].map((id) => id.replace(PARAMETERS, ''));
      this.emitFile({ type: 'asset', fileName: FILE, source: await licencesOf(files) });
    },
  };
}
