// Serves the documentation: pages that the build of the website wrote, and the search in them. They are the same for
// every visitor. In their examples, the address of this server replaces a placeholder, so that copied commands work
// here.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type DocSection, findDoc } from '@chauffeur/contract/docs';
import { errors } from '@chauffeur/contract/errors';
import { PAGES } from '@chauffeur/contract/pages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { WEBSITE_FOLDER } from '../folders.ts';
import { escapeHtml } from '../kernel/text/escape-html.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { legalLinks } from '../request/legal-pages.ts';
import { acceptsGzip, prefersJson } from '../request/negotiation.ts';
import { createDocSearch, type DocMatch, type DocSearch, fold, isWordCharacter } from './doc-search.ts';
import { fillHead, type PageHead } from './page-head.ts';
import type { PublicSite } from './pages/public-pages.ts';

const FOLDER = join(WEBSITE_FOLDER, 'docs');
const MINUTES_SECONDS = 300;
const MAX_QUERY_LENGTH = 200;
/** Only the site's own files, and no inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const START = 'index';
const SEARCH = 'search';
const MISSING = '404';
const DESCRIPTION = 'How to ship games, track crashes and game health, and run the server.';

type Body = { readonly plain: string; readonly gzipped: Buffer };

/** Any client gets these pages, whatever it accepts; for a page that doesn't exist, an error if it prefers JSON. */
export function mountDocs(app: FastifyInstance, ctx: Context, site: PublicSite): void {
  const bodyOf = keepBodies(ctx);
  let search: Promise<DocSearch> | undefined;
  const findSections = async (query: string) => {
    search ??= readSearch(ctx);
    // A file that could not be read is read again at the next search.
    search.catch(() => {
      search = undefined;
    });
    return (await search)(query);
  };
  app.get(PAGES.docs, async (request, reply) => sendDoc(request, reply, START));
  app.get(PAGES.docSearch, async (request, reply) => {
    const refusal = await refuse(request, reply);
    if (refusal !== null) return refusal;
    const { q } = request.query as { q?: unknown };
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY_LENGTH).trim() : '';
    const document = addLegal(ctx, fillHead(await readDocument(ctx, SEARCH), headOf(ctx, SEARCH)));
    const results = query === '' ? '' : writeResults(query, await findSections(query));
    const page = document.replace('%query%', () => escapeHtml(query)).replace('<!--results-->', () => results);
    return prepare(reply).header('cache-control', 'private, no-cache').send(page);
  });
  app.get<{ Params: { page: string } }>(PAGES.doc, async (request, reply) => {
    const { page } = request.params;
    return sendDoc(request, reply, findDoc(page) === undefined ? MISSING : page);
  });

  async function refuse(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | null> {
    try {
      countPublicRead(ctx, request);
      return null;
    } catch (error) {
      return site.sendProblem(request, reply, error);
    }
  }

  async function sendDoc(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const refusal = await refuse(request, reply);
    if (refusal !== null) return refusal;
    if (name === MISSING && prefersJson(request.headers)) return site.sendProblem(request, reply, errors.notFound());
    const { plain, gzipped } = await bodyOf(name);
    prepare(reply)
      .code(name === MISSING ? 404 : 200)
      .header('vary', 'accept-encoding')
      .header('cache-control', `public, max-age=${MINUTES_SECONDS}`);
    return acceptsGzip(request.headers['accept-encoding'])
      ? reply.header('content-encoding', 'gzip').send(gzipped)
      : reply.send(plain);
  }
}

function prepare(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'strict-origin-when-cross-origin');
}

/** Puts the address of this server into the examples of a document. */
async function readDocument({ publicUrl }: Context, name: string): Promise<string> {
  return placeAddress(await readFile(join(FOLDER, `${name}.html`), 'utf8'), escapeHtml(publicUrl));
}

async function readSearch({ publicUrl }: Context): Promise<DocSearch> {
  const sections = JSON.parse(await readFile(join(FOLDER, 'sections.json'), 'utf8')) as DocSection[];
  return createDocSearch(sections.map((section) => ({ ...section, text: placeAddress(section.text, publicUrl) })));
}

/** Each page is read, completed and compressed once. */
function keepBodies(ctx: Context): (name: string) => Promise<Body> {
  const bodies = new Map<string, Promise<Body>>();
  const create = async (name: string): Promise<Body> => {
    const plain = addLegal(ctx, fillHead(await readDocument(ctx, name), headOf(ctx, name)));
    return { plain, gzipped: await promisify(gzip)(plain, { level: 9 }) };
  };
  return (name) => {
    const body = bodies.get(name) ?? create(name);
    bodies.set(name, body);
    // A file that could not be read is read again at the next request.
    body.catch(() => bodies.delete(name));
    return body;
  };
}

/** The links in the footer, which is in English. */
function addLegal({ config }: Context, document: string): string {
  const links = legalLinks(config, 'en').map(
    ({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`,
  );
  return document.replace('<!--legal-->', () => (links.length === 0 ? '' : ` ${links.join(' · ')}`));
}

function headOf({ publicUrl }: Context, name: string): PageHead {
  const url = publicUrl + PAGES.docs;
  const doc = findDoc(name);
  if (doc !== undefined) return { title: doc.title, description: doc.description, url: `${url}/${doc.page}` };
  const plain: PageHead = { title: 'Documentation', description: DESCRIPTION, url };
  if (name === SEARCH)
    return { ...plain, title: 'Search the documentation', url: publicUrl + PAGES.docSearch, isHidden: true };
  return name === MISSING ? { ...plain, title: 'Page not found', isHidden: true } : plain;
}

const PLACEHOLDER = 'games.example.com';

/** Addresses, also with a user as in the URLs of Sentry's clients; hosts with a port; and hosts alone. */
const PATTERN = new RegExp(
  `(?:https://(?<user>[^\\s/@"'<>]*@)?)?(?<![\\w.-])${PLACEHOLDER.replaceAll('.', '\\.')}(?<port>:443)?(?![\\w-])`,
  'g',
);

/** `publicUrl` has no slash at its end. */
export function placeAddress(text: string, publicUrl: string): string {
  const { protocol, host, hostname, port } = new URL(publicUrl);
  const openPort = port || (protocol === 'https:' ? '443' : '80');
  return text.replace(PATTERN, (match, ...groups) => {
    const { user = '', port: namedPort } = groups.at(-1) as { user?: string; port?: string };
    if (match.startsWith('https://')) return user === '' ? publicUrl : publicUrl.replace('://', `://${user}`);
    return namedPort === undefined ? host : `${hostname}:${openPort}`;
  });
}

const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 180;

export function writeResults(query: string, matches: readonly DocMatch[]): string {
  const shown = escapeHtml(query);
  if (matches.length === 0)
    return `<p role="status">No results for “${shown}”. Try fewer or shorter words, or <a href="/docs">see all pages</a>.</p>`;
  const count = matches.length === 1 ? '1 result' : `${matches.length} results`;
  return `<p role="status">${count} for “${shown}”</p>
<ol data-results>
${matches.map(writeMatch).join('\n')}
</ol>`;
}

function writeMatch({ page, anchor, heading, title, text, words }: DocMatch): string {
  const href = `/docs/${page}${anchor === '' ? '' : `#${anchor}`}`;
  const [name, context] = heading === '' ? [title, ''] : [heading, `<em>${mark(title, words)}</em>`];
  const excerpt = excerptOf(text, words);
  const described = excerpt === '' ? '' : `<span>${mark(excerpt, words)}</span>`;
  return `<li><a href="${escapeHtml(href)}"><strong>${mark(name, words)}</strong>${context}${described}</a></li>`;
}

/** The part of the text around its first match. */
function excerptOf(text: string, words: readonly string[]): string {
  const first = rangesOf(text, words)[0]?.[0] ?? 0;
  if (text.length <= EXCERPT_LENGTH) return text;
  const from = first <= EXCERPT_BEFORE ? 0 : text.indexOf(' ', first - EXCERPT_BEFORE) + 1;
  const part = text.slice(from, from + EXCERPT_LENGTH);
  const end = from + EXCERPT_LENGTH < text.length ? part.lastIndexOf(' ') : -1;
  return `${from > 0 ? '… ' : ''}${end > 0 ? `${part.slice(0, end)} …` : part}`;
}

function mark(text: string, words: readonly string[]): string {
  let marked = '';
  let at = 0;
  for (const [from, to] of rangesOf(text, words)) {
    marked += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, to))}</mark>`;
    at = to;
  }
  return marked + escapeHtml(text.slice(at));
}

/** Where the words start words of the text, in order and without overlaps. */
function rangesOf(text: string, words: readonly string[]): [from: number, to: number][] {
  const folded = fold(text);
  // Without accents, the text may have another length. Then nothing is marked.
  if (folded.length !== text.length) return [];
  const found = words.flatMap((word) => {
    const ranges: [number, number][] = [];
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      if (!isWordCharacter(folded[at - 1])) ranges.push([at, at + word.length]);
    return ranges;
  });
  found.sort(([a, endA], [b, endB]) => a - b || endB - endA);
  let end = 0;
  return found.filter(([from, to]) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}
