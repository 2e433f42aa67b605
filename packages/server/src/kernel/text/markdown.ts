// Renders the Markdown of strangers as HTML. Only the elements and attributes that this file writes can appear: there
// is no raw HTML, nothing is loaded, and links lead only to websites.
import { cleanText } from '@chauffeur/contract/text';
import MarkdownIt, { type Token } from 'markdown-it';
import { escapeHtml } from './escape-html.ts';

/** Deeper lists and quotes are left out. */
const MAX_NESTING = 20;

/**
 * Leaves out what surprises people who wrote plain text: indented lines aren't code, underlined lines aren't headings,
 * and `&amp;` stays as it is. Link definitions, which are invisible, would hide text.
 */
const parser = new MarkdownIt('default', { html: false, breaks: true, linkify: true, maxNesting: MAX_NESTING }).disable(
  ['code', 'lheading', 'reference', 'entity', 'table', 'html_block', 'html_inline'],
);
// Only complete addresses become links, not `example.com` or email addresses.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// All links are parsed, and `writeLink` decides. Otherwise a refused one would be shown with its brackets.
parser.validateLink = () => true;

/** The elements that may appear, by the kind of their token. Headings, links and text are written separately. */
const ELEMENTS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  bullet_list: 'ul',
  list_item: 'li',
  strong: 'strong',
  em: 'em',
  s: 's',
};

/** What the writer remembers between tokens. */
type State = {
  /** The level of the last heading; the page has one above the text. */
  heading: number;
  /** Whether each open link is written. */
  readonly links: boolean[];
};

/** The HTML of the text. */
export function markdownToHtml(text: string): string {
  const state: State = { heading: 1, links: [] };
  return parse(text)
    .map((token) => write(token, state))
    .join('')
    .trim();
}

/** The text without its formatting, with a line for each paragraph. */
export function plainTextOf(text: string): string {
  return parse(text).map(plain).join('').trim();
}

function parse(text: string): Token[] {
  return parser.parse(cleanText(text), {});
}

function plain({ type, children, content }: Token): string {
  if (children !== null && type !== 'image') return children.map(plain).join('');
  if (type === 'softbreak' || type === 'hardbreak' || type.endsWith('_close')) return isInline(type) ? '' : '\n';
  return content;
}

function isInline(type: string): boolean {
  return ['strong_close', 'em_close', 's_close', 'link_close'].includes(type);
}

function write(token: Token, state: State): string {
  if (token.hidden) return '';
  const { type, children, content } = token;
  switch (type) {
    case 'inline':
      return (children ?? []).map((child) => write(child, state)).join('');
    case 'text':
    case 'text_special':
      return escapeHtml(content);
    // Its description: the page loads nothing from other sites.
    case 'image':
      return escapeHtml(content);
    case 'softbreak':
    case 'hardbreak':
      return '<br>\n';
    case 'hr':
      return '<hr>\n';
    case 'code_inline':
      return `<code>${escapeHtml(content)}</code>`;
    case 'fence':
      return `<pre tabindex="0"><code>${escapeHtml(content)}</code></pre>\n`;
    default:
      return writePair(token, state);
  }
}

/** The start or the end of an element. Nothing is written for other elements. */
function writePair(token: Token, state: State): string {
  const [, kind = '', edge] = /^(.*)_(open|close)$/.exec(token.type) ?? [];
  if (kind === 'link') return edge === 'open' ? openLink(token, state) : state.links.pop() === true ? '</a>' : '';
  if (kind === 'heading') return writeHeading(token, state, edge === 'open');
  if (kind === 'ordered_list') return edge === 'open' ? openOrderedList(token) : '</ol>\n';
  const name = ELEMENTS[kind];
  if (name === undefined) return '';
  const end = token.block ? '\n' : '';
  return edge === 'open' ? `<${name}>` : `</${name}>${end}`;
}

/** `#` is the level below the title of the page. No level is skipped, which readers of the page would look for. */
function writeHeading({ tag }: Token, state: State, isStart: boolean): string {
  if (!isStart) return `</h${state.heading}>\n`;
  state.heading = Math.min(Number(tag.slice(1)) + 1, state.heading + 1, 4);
  return `<h${state.heading}>`;
}

function openOrderedList(token: Token): string {
  const start = Number(token.attrGet('start') ?? 1);
  return start === 1 ? '<ol>' : `<ol start="${start}">`;
}

/** Search engines and the linked site learn nothing from it. */
function openLink(token: Token, state: State): string {
  const href = webAddress(String(token.attrGet('href') ?? ''));
  state.links.push(href !== null);
  return href === null ? '' : `<a href="${escapeHtml(href)}" rel="nofollow ugc noopener noreferrer">`;
}

/**
 * The normalized address of a website; null for anything else, such as a script, a relative address or one with a
 * password.
 */
function webAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:\/\//i.test(address)) return null;
  const isPlain = url.username === '' && url.password === '';
  return (url.protocol === 'https:' || url.protocol === 'http:') && isPlain ? url.href : null;
}
