// Builds the documentation into dist/docs: a page for each file of docs/, and the sections for the search. In
// development, the pages are rendered for each request.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DOC_PAGES, type DocSection } from '@chauffeur/contract/docs';
import type { Plugin } from 'vite';
import { readImageSize } from './image-size.ts';
import { writeDoc, writeMissing, writeSearch, writeStart } from './layout.ts';
import { imageSlot, plainOf, type RenderedDoc, renderDoc } from './render-doc.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
const FOLDER = join(REPOSITORY, 'docs');
/** The document around every page, which Vite gives its styles and scripts. */
const TEMPLATE = 'docs.html';
const PAGE_SLOT = '<!--page-->';
const NAMES = new Set(DOC_PAGES.map(({ page }) => page));

export function docPages(): Plugin {
  let docs: ReadonlyMap<string, RenderedDoc>;
  /** The assets of the images, by their path in docs/. */
  const images = new Map<string, string>();
  return {
    name: 'pages of docs',
    async buildStart() {
      if (this.environment.mode === 'dev') return;
      docs = await readDocs();
      const broken = findBrokenLinks(docs);
      if (broken.length > 0) this.error(`The documentation has broken links:\n${broken.join('\n')}`);
      for (const path of [...docs.values()].flatMap((doc) => doc.images)) {
        if (images.has(path)) continue;
        const source = await readFile(join(FOLDER, path));
        images.set(path, this.emitFile({ type: 'asset', name: basename(path), source }));
      }
    },
    async writeBundle({ dir = '' }) {
      const template = await readFile(join(dir, TEMPLATE), 'utf8');
      await rm(join(dir, TEMPLATE));
      await mkdir(join(dir, 'docs'));
      const write = (name: string, page: string) =>
        writeFile(
          join(dir, 'docs', `${name}.html`),
          template.replace(PAGE_SLOT, () => page),
        );
      const urlOf = (path: string) => `/${this.getFileName(images.get(path) ?? '')}`;
      const pages = await Promise.all(
        [...docs].map(async ([name, doc]) => [name, writeDoc(name, await placeImages(doc, urlOf))] as const),
      );
      await Promise.all([...SPECIAL_PAGES, ...pages].map(([name, page]) => write(name, page)));
      const sections: DocSection[] = [...docs].flatMap(([name, doc]) => sectionsOf(name, doc));
      await writeFile(join(dir, 'docs/sections.json'), JSON.stringify(sections));
    },
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const match = /^\/docs(?:\/([a-z0-9-]+))?\/?$/.exec(request.originalUrl?.split('?', 1)[0] ?? '');
        const name = match?.[1];
        if (match === null || name === 'search') return next();
        const page = await renderForDevelopment(name);
        const template = await readFile(join(server.config.root, TEMPLATE), 'utf8');
        const document = await server.transformIndexHtml(`/${TEMPLATE}`, template);
        response.statusCode = page.status;
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(document.replace(PAGE_SLOT, () => page.html));
      });
    },
  };
}

/** Pages that are not files of docs/. */
const SPECIAL_PAGES: readonly (readonly [name: string, page: string])[] = [
  ['index', writeStart()],
  ['search', writeSearch()],
  ['404', writeMissing()],
];

async function readDocs(): Promise<ReadonlyMap<string, RenderedDoc>> {
  return new Map(await Promise.all(DOC_PAGES.map(async ({ page }) => [page, await readDoc(page)] as const)));
}

async function readDoc(page: string): Promise<RenderedDoc> {
  const file = page === 'changelog' ? join(REPOSITORY, 'CHANGELOG.md') : join(FOLDER, `${page}.md`);
  return renderDoc(await readFile(file, 'utf8'), NAMES);
}

async function placeImages(doc: RenderedDoc, urlOf: (path: string) => string): Promise<RenderedDoc> {
  let { html } = doc;
  for (const [index, path] of doc.images.entries()) {
    const { width, height } = readImageSize(await readFile(join(FOLDER, path)));
    html = html.replaceAll(`"${imageSlot(index)}"`, `"${urlOf(path)}" width="${width}" height="${height}"`);
  }
  return { ...doc, html };
}

/** `name` is undefined for the start page. */
async function renderForDevelopment(name: string | undefined): Promise<{ status: 200 | 404; html: string }> {
  if (name === undefined) return { status: 200, html: writeStart() };
  if (!NAMES.has(name)) return { status: 404, html: writeMissing() };
  const urlOf = (path: string) => `/@fs${join(FOLDER, path)}`;
  return { status: 200, html: writeDoc(name, await placeImages(await readDoc(name), urlOf)) };
}

/** Describes each broken link: its page, and what it leads to. */
export function findBrokenLinks(docs: ReadonlyMap<string, RenderedDoc>): string[] {
  const anchors = new Map([...docs].map(([name, { headings }]) => [name, new Set(headings.map(({ id }) => id))]));
  return [...docs].flatMap(([name, { html }]) =>
    [...html.matchAll(/href="(?:\/docs\/([a-z0-9-]+))?(?:#([^"]*))?"/g)]
      .filter(([, page = name, anchor]) => anchor !== undefined && !anchors.get(page)?.has(anchor))
      .map(([, page = name, anchor]) => `${name} links to ${page}#${anchor}`),
  );
}

/** The first section is the text before the first heading. */
export function sectionsOf(page: string, { html, headings }: RenderedDoc): DocSection[] {
  const parts = html.split(/(?=<h[2-6] id=")/);
  const intro = parts.length > headings.length ? parts.shift()! : '';
  const sections = parts.map((part, index): DocSection => {
    const { id, text: heading } = headings[index]!;
    return { page, anchor: id, heading, text: textOf(part.replace(/^<h[\s\S]*?<\/h\d>/, '')) };
  });
  return [{ page, anchor: '', heading: '', text: textOf(intro) }, ...sections];
}

/** The same commands again, and the tabs that lead to them. */
const OTHER_SHELLS =
  /<legend>.*?<\/legend>|<label.*?<\/label>|<div data-code data-shell="(?:powershell|bat)">[\s\S]*?<\/div>/g;

/** Tags within a sentence, which separate no words. */
const INLINE = /<\/?(?:a|code|del|em|strong|wbr)(?: [^>]*)?>/g;

function textOf(html: string): string {
  return plainOf(
    html
      .replaceAll(OTHER_SHELLS, '')
      .replaceAll(INLINE, '')
      .replaceAll(/<[^>]*>/g, ' '),
  )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
