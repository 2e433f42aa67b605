// Turns a page of docs/ into what the website shows of it: HTML with anchors, its headings for the table of contents, and links that lead to
// other pages of the website.
import { Marked, Renderer, type Tokens } from 'marked';

export type Heading = { readonly id: string; readonly text: string; readonly depth: number };
export type RenderedDoc = {
  readonly title: string;
  /** Those that the table of contents has: of the second and third rank. */
  readonly headings: readonly Heading[];
  /** Without the title. */
  readonly html: string;
  /** Paths of the images, from the page’s own folder; they stand in the HTML as `imagePlace(index)`. */
  readonly images: readonly string[];
};

export function imagePlace(index: number): string {
  return `%image-${index}%`;
}

/** `pages` are the names of those that stand on the website. */
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
        const said = this.parser.parseInline(tokens);
        const target = targetOf(href, pages);
        return target === null ? said : `<a href="${escapeText(target)}">${said}</a>`;
      },
      image({ href, text }) {
        const src = /^https?:/.test(href) ? escapeText(href) : imagePlace(images.push(href) - 1);
        return `<img src="${src}" alt="${escapeText(text)}" loading="lazy">`;
      },
      // Notes to who edits the page.
      html: ({ text }) => (text.trimStart().startsWith('<!--') ? '' : text),
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title, headings: headings.filter(({ depth }) => depth <= 3), html, images };
}

/** Null for what lies in the repository alone, such as an example: then there is nothing to lead to. */
function targetOf(href: string, pages: ReadonlySet<string>): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [, page = '', anchor = ''] = /^(?:\.\/)?([a-z0-9-]+)\.md(#.*)?$/.exec(href) ?? [];
  return pages.has(page) ? `/docs/${page}${anchor}` : null;
}

/** As GitHub names the anchors of headings, by which the pages link to each other there as well. */
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

/** The other way round. */
function plainOf(escaped: string): string {
  return ENTITIES.toReversed().reduce((text, [sign, entity]) => text.replaceAll(entity, sign), escaped);
}
