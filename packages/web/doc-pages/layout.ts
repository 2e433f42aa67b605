// Writes a page of the documentation around its text: the header, the list of pages, the table of contents, and links
// to the previous and the next page. It is complete without JavaScript.
import { DOC_GROUPS, DOC_PAGES, type DocPage } from '@chauffeur/contract/docs';
import { VERSION } from '@chauffeur/contract/version';
import { escapeText, type Heading, type RenderedDoc } from './render-doc.ts';

/** The server replaces these on the search page. */
const QUERY_SLOT = '%query%';
const RESULTS_SLOT = '<!--results-->';

/** One page of docs/. */
export function writeDoc(page: string, { title, html, headings }: RenderedDoc): string {
  const listed = headings.filter(({ depth }) => depth <= 3);
  const contents = listed.length < 2 ? '' : writeContents(listed);
  const folded =
    contents === ''
      ? ''
      : `<details class="folded"><summary>On this page</summary><nav aria-label="On this page">${contents}</nav></details>`;
  const open = contents === '' ? '' : `<nav class="contents" aria-label="On this page">${contents}</nav>`;
  const main = `<h1>${escapeText(title)}</h1>
${folded}
<article class="text">
${html}</article>
${writeOnward(page)}`;
  return frame(main, { current: page, aside: open });
}

/** The start page: every page with its description. */
export function writeStart(): string {
  const groups = DOC_GROUPS.map(
    ({ name, pages }) => `<section>
<h2>${name}</h2>
<ul>
${pages.map((doc) => `<li><a href="/docs/${doc.page}">${escapeText(doc.title)}</a><p>${escapeText(doc.description)}</p></li>`).join('\n')}
</ul>
</section>`,
  );
  const main = `<h1>Documentation</h1>
<div class="groups">
${groups.join('\n')}
</div>`;
  return frame(main, { current: null });
}

/** The server fills in what was searched, and what it found. */
export function writeSearch(): string {
  const main = `<h1>Search the documentation</h1>
<form role="search" aria-label="All pages" action="/docs/search" class="question">
<input type="search" name="q" value="${QUERY_SLOT}" maxlength="200" aria-label="Search for">
<button>Search</button>
</form>
${RESULTS_SLOT}`;
  return frame(main, { current: null });
}

/** The page for an address below /docs that has none. */
export function writeMissing(): string {
  const main = `<h1>Page not found</h1>
<p>This page doesn't exist in the documentation of Chauffeur ${VERSION}. Search for its topic, or choose a page from <a href="/docs">the list</a>.</p>`;
  return frame(main, { current: null });
}

/** Only the text of the current page is indexed by search engines, and printed. */
function frame(main: string, { current, aside = '' }: { current: string | null; aside?: string }): string {
  const pages = writePages(current);
  return `<a class="skip" href="#content">Skip to content</a>
<header class="header">
<div>
<a class="name" href="/"><img src="/icon.svg" alt="" width="24" height="24"><span>Chauffeur</span></a>
<a href="/browse">Browse</a>
<a href="/dev">Your games</a>
<a href="/docs"${current === null ? '' : ' aria-current="true"'}>Docs</a>
<form role="search" aria-label="Documentation" action="/docs/search" class="search">
<input type="search" name="q" maxlength="200" placeholder="Search docs" aria-label="Search the documentation" autocomplete="off">
</form>
</div>
</header>
<div class="columns">
<details class="menu"><summary>All pages</summary><nav aria-label="Documentation">${pages}</nav></details>
<nav class="sidebar" aria-label="Documentation">${pages}</nav>
<main id="content" tabindex="-1">
${main}
<footer>Documentation of Chauffeur ${VERSION}. Each server has the documentation of its own version; <a href="/docs/changelog">the changelog</a> lists what changed.<!--legal--></footer>
</main>
${aside}
</div>`;
}

function writePages(current: string | null): string {
  const item = ({ page, title, label = title }: DocPage) => {
    const mark = page === current ? ' aria-current="page"' : '';
    return `<li><a href="/docs/${page}"${mark}>${escapeText(label)}</a></li>`;
  };
  return DOC_GROUPS.map(({ name, pages }) => `<h2>${name}</h2><ul>${pages.map(item).join('')}</ul>`).join('\n');
}

function writeContents(headings: readonly Heading[]): string {
  const items = headings.map(
    ({ id, text, depth }) => `<li data-depth="${depth}"><a href="#${id}">${escapeText(text)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

function writeOnward(page: string): string {
  const at = DOC_PAGES.findIndex((each) => each.page === page);
  const link = (doc: DocPage | undefined, rel: 'prev' | 'next', label: string) =>
    doc === undefined
      ? ''
      : `<a rel="${rel}" href="/docs/${doc.page}"><span>${label}</span> ${escapeText(doc.title)}</a>`;
  return `<nav class="onward" aria-label="Previous and next page">${link(DOC_PAGES[at - 1], 'prev', 'Previous')}${link(DOC_PAGES[at + 1], 'next', 'Next')}</nav>`;
}
