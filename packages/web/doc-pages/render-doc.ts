// Renders a page of docs/ for the website: HTML with anchors and links to other pages of the website, and the headings for
// the table of contents.
import { Marked, Renderer, type Tokens } from 'marked';

export type Heading = { readonly id: string; readonly text: string; readonly depth: number };
export type RenderedDoc = {
  readonly title: string;
  /** All headings but the title. */
  readonly headings: readonly Heading[];
  /** The page without its title. */
  readonly html: string;
  /** Paths of the images relative to docs/. The HTML contains the placeholder `imageSlot(index)` for each. */
  readonly images: readonly string[];
};

const SHELLS: readonly string[] = ['sh', 'bash', 'powershell', 'bat'];

export function imageSlot(index: number): string {
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
        const anchor = `<a href="#${id}" data-anchor aria-label="Link to “${escapeText(text)}”">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} ${anchor}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const shell = SHELLS.includes(lang) ? ` data-shell="${lang === 'bash' ? 'sh' : lang}"` : '';
        return `<div data-code${shell}><pre tabindex="0"><code>${escapeText(text)}</code></pre></div>\n`;
      },
      table(token: Tokens.Table) {
        const table = breakNames(Renderer.prototype.table.call(this, token));
        return `<div data-table tabindex="0" role="group" aria-label="Table">${table}</div>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const target = targetOf(href, pages);
        return target === null ? label : `<a href="${escapeText(target)}">${label}</a>`;
      },
      image({ href, text }) {
        const src = /^https?:/.test(href) ? escapeText(href) : imageSlot(images.push(href) - 1);
        return `<img src="${src}" alt="${escapeText(text)}" loading="lazy">`;
      },
      // Comments are notes for editors of the page.
      html: ({ text }) => (text.trimStart().startsWith('<!--') ? '' : text),
    },
  });
  const html = groupShells(marked.parse(markdown, { async: false }));
  return { title, headings, html, images };
}

/** Null for files that are only in the repository, such as an example. Throws if there is no such page. */
function targetOf(href: string, pages: ReadonlySet<string>): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  // Links of the changelog start in the folder above docs/.
  const [, file = '', anchor = ''] = /^(?:\.\.?\/|docs\/)?([A-Za-z0-9-]+)\.md(#.*)?$/.exec(href) ?? [];
  const page = file.toLowerCase();
  if (pages.has(page)) return `/docs/${page}${anchor}`;
  if (/^[a-z0-9-]+\.md/.test(href)) throw new Error(`There is no page for the link ${href}.`);
  return null;
}

/** Lets long names in code continue on the next line after a slash or an underscore. Short ones stay in one piece. */
function breakNames(html: string): string {
  return html.replaceAll(/<code>([^<]{25,})<\/code>/g, (_code, text: string) => {
    return `<code>${text.replaceAll(/(?<=[\w}])[/_](?=[\w{])/g, '$&<wbr>')}</code>`;
  });
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

const LABELS: Readonly<Record<string, string>> = {
  sh: 'bash',
  powershell: 'PowerShell',
  bat: 'Command Prompt',
};

const REST = '(?:(?!</div>)[\\s\\S])*</div>\\n';
/** A block for bash, with those for other shells directly after it. */
const GROUP = new RegExp(
  `<div data-code data-shell="sh">${REST}(?:<div data-code data-shell="(?:powershell|bat)">${REST})+`,
  'g',
);

/**
 * Groups the same commands for several shells, which follow each other in a page, into tabs that work without
 * JavaScript.
 */
function groupShells(html: string): string {
  let count = 0;
  return html.replaceAll(GROUP, (blocks) => {
    count += 1;
    const shells = [...blocks.matchAll(/data-shell="(\w+)"/g)].map(([, shell = '']) => shell);
    const tabs = shells.map((shell, index) => {
      const id = `shell-${count}-${shell}`;
      const checked = index === 0 ? ' checked' : '';
      const input = `<input type="radio" name="shell-${count}" id="${id}" value="${shell}"${checked}>`;
      return `${input}<label for="${id}">${LABELS[shell]}</label>`;
    });
    return `<fieldset data-shells><legend>Shell</legend>${tabs.join('')}\n${blocks}</fieldset>\n`;
  });
}

const ENTITIES: readonly [string, string][] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
];

/** Escapes text for elements and for attributes in quotes. */
export function escapeText(text: string): string {
  return ENTITIES.reduce((escaped, [sign, entity]) => escaped.replaceAll(sign, entity), text);
}

/** Undoes `escapeText`. */
export function plainOf(escaped: string): string {
  return ENTITIES.toReversed().reduce((text, [sign, entity]) => text.replaceAll(entity, sign), escaped);
}
