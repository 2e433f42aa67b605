// Renders a page of docs/ for the website: HTML with anchors and links to other pages of the website, and the headings for the table of
// contents.
import { Marked, Renderer, type Tokens } from 'marked';

type Heading = { readonly id: string; readonly text: string; readonly depth: number };
export type RenderedDoc = {
  readonly title: string;
  /** The headings of levels 2 and 3, for the table of contents. */
  readonly headings: readonly Heading[];
  /** The page without its title. */
  readonly html: string;
  /** Paths of the images relative to the page. The HTML contains the placeholder `imagePlace(index)` for each. */
  readonly images: readonly string[];
};

export function imagePlace(index: number): string {
  return `%image-${index}%`;
}

/** `pages` are the names of the pages on the website. */
export function renderDoc(markdown: string, pages: ReadonlySet<string>): RenderedDoc {
  const headings: Heading[] = [];
  const images: string[] = [];
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = plainOf(this.parser.parseInline(tokens, this.parser.textRenderer));
        if (depth === 1) {
          title = text;
          return '';
        }
        const id = uniqueId(slugOfHeading(text), headings);
        headings.push({ id, text, depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text }) {
        const lines = `<pre tabindex="0"><code>${escapeText(text)}</code></pre>`;
        return `<div data-code>${lines}<button type="button" data-copy>Copy</button></div>\n`;
      },
      table(token: Tokens.Table) {
        return `<div data-table tabindex="0" role="group" aria-label="Table">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const target = targetOf(href, pages);
        return target === null ? label : `<a href="${escapeText(target)}">${label}</a>`;
      },
      image({ href, text }) {
        const src = /^https?:/.test(href) ? escapeText(href) : imagePlace(images.push(href) - 1);
        return `<img src="${src}" alt="${escapeText(text)}" loading="lazy">`;
      },
      // Comments are notes for editors of the page.
      html: ({ text }) => (text.trimStart().startsWith('<!--') ? '' : text),
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title, headings: headings.filter(({ depth }) => depth <= 3), html, images };
}

/** Null for files that are only in the repository, such as an example. */
function targetOf(href: string, pages: ReadonlySet<string>): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [, page = '', anchor = ''] = /^(?:\.\/)?([a-z0-9-]+)\.md(#.*)?$/.exec(href) ?? [];
  return pages.has(page) ? `/docs/${page}${anchor}` : null;
}

/** Builds anchors the way GitHub does, so that links between pages work in both places. */
function slugOfHeading(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function uniqueId(slug: string, headings: readonly Heading[]): string {
  const isTaken = (id: string) => headings.some((heading) => heading.id === id);
  let id = slug;
  for (let count = 1; isTaken(id); count += 1) id = `${slug}-${count}`;
  return id;
}

const ENTITIES: readonly [string, string][] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
];

function escapeText(text: string): string {
  return ENTITIES.reduce((escaped, [sign, entity]) => escaped.replaceAll(sign, entity), text);
}

/** Undoes `escapeText`. */
function plainOf(escaped: string): string {
  return ENTITIES.toReversed().reduce((text, [sign, entity]) => text.replaceAll(entity, sign), escaped);
}
