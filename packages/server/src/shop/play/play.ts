// Serves the files of a game that is played in the browser. All of them are untrusted, so response headers limit what
// they can do.

import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError, errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/play';
import { sandboxOf } from '@chauffeur/contract/play-sandbox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { createRecent, type Recent } from '../../kernel/collections/cache.ts';
import { acceptsCoding, acceptsGzip } from '../../request/negotiation.ts';
import { areShared, hostnameOf, isHostOf, isPlayHost, ownOriginOf } from '../../request/origins.ts';
import { perContext } from '../../request/per-context.ts';
import { handle } from '../../request/route.ts';
import { matches, readRange } from '../../request/send-blob.ts';
import { countPlay } from '../statistics/statistics.ts';
import { requireDownloadable } from '../store/store.ts';
import {
  CODING_BYTES,
  type Coding,
  codingOf,
  decodeEntry,
  entryKindOf,
  gzipSizeOf,
  readEntry,
  readEntryAsGzip,
  readEntryRange,
} from './entry-bytes.ts';
import { issuePass, type Opened, openPass } from './pass.ts';
import { preparePage, SANDBOX_SCRIPT, SANDBOX_SCRIPT_TAG } from './sandbox-page.ts';
import { readWebBuild, type WebBuild, type WebEntry } from './web-build.ts';

export const getPlay = handle(contract.getPlay, async (ctx, { caller, input }) => {
  const { file } = await requireDownloadable(ctx, caller, input);
  const { pass, expiresAt } = await issuePass(ctx, file);
  const { start } = await readWebBuild(ctx, file);
  if (start === null)
    throw errors.notPlayable('The build has no start page. Put index.html at the top level of its .zip.');
  const query = input.referrer === undefined ? '' : `?${new URLSearchParams({ referrer: input.referrer })}`;
  const path = `/play/${pass}/${start.split('/').map(encodeURIComponent).join('/')}${query}`;
  const shared = { url: ctx.publicUrl + path, sandbox: sandboxOf({ keepsOrigin: false }) };
  const ownOrigin = ownOriginOf(ctx, file.game_id);
  const expires_at = expiresAt?.toISOString() ?? null;
  if (ownOrigin === null) return { ...shared, keeps_saves: false, fallback: null, expires_at };
  return {
    url: ownOrigin + path,
    sandbox: sandboxOf({ keepsOrigin: true }),
    keeps_saves: true,
    fallback: areShared(ctx) ? shared : null,
    expires_at,
  };
});

const YEAR_SECONDS = 31_536_000;

/** `path` is decoded. `referrer` is the host of the website that the player came from; '' if it isn't known. */
type Played = { readonly pass: string; readonly path: string; readonly referrer: string };

/** `GET /play/{pass}/{path}`. Redirects to the page of the game if it is opened outside its frame. */
export async function servePlayed(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { pass, path, referrer }: Played,
): Promise<FastifyReply> {
  const hostname = hostnameOf(request.headers);
  const hasOrigin = isPlayHost(ctx, hostname);
  const isServiceWorker = request.headers['service-worker'] !== undefined;
  confine(reply, hasOrigin);
  // On the host of the website, a service worker could intercept the website.
  if (isServiceWorker && !hasOrigin) throw unknownEntry();
  let opened: Opened;
  try {
    opened = await openPass(ctx, pass);
  } catch (error) {
    if (isServiceWorker && isWithdrawn(error)) return sendRetiring(reply);
    throw error;
  }
  const { game_id: gameId } = opened.file;
  if (!isHostOf(ctx, hostname, gameId)) throw unknownEntry();
  // Opened outside its frame, the game could pretend to be the site in the address bar.
  if (request.headers['sec-fetch-dest'] === 'document')
    return reply.code(302).header('location', `${ctx.publicUrl}/g/${gameId}/play`).send();
  const build = await readWebBuild(ctx, opened.file);
  const entry = build.find(path);
  if (entry === undefined) throw unknownEntry();
  if (path === build.start && request.method === 'GET')
    countPlay(ctx, { gameId, buildId: opened.file.build_id }, referrer);
  try {
    return await send(ctx, request, reply, { opened, build, entry, path, hasOrigin });
  } catch (error) {
    throw error instanceof BlobMissingError ? unknownEntry(error) : error;
  }
}

/**
 * Applies the sandbox of the frame to URLs that are opened without the frame, too. There is no frame-ancestors rule,
 * because games are not a target for clickjacking, and their own frames have an ancestor with an opaque origin, which
 * no rule can name. A sandboxed page has an opaque origin, so its own scripts, fonts and modules are cross-origin and
 * need CORS. The last two headers allow engines to use threads: a page and its frames share memory only if all of them
 * have these headers.
 */
function confine(reply: FastifyReply, hasOrigin: boolean): void {
  reply
    .header('content-security-policy', `sandbox ${sandboxOf({ keepsOrigin: hasOrigin })}`)
    .header('referrer-policy', 'strict-origin')
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'Accept-Ranges, Content-Encoding, Content-Range, ETag, X-Request-Id')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cross-origin-embedder-policy', 'credentialless');
}

/** Whether the pass opened a build that is no longer available, rather than the service having failed. */
function isWithdrawn(error: unknown): boolean {
  return error instanceof ApiError && error.code >= 4000 && error.code < 5000;
}

/**
 * The service worker of a build could serve it from the browser's cache for as long as it stays installed. When the
 * browser looks for a new version of it, it gets one that removes itself.
 */
const RETIRING = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(registration.unregister()));
`;

function sendRetiring(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-type', entryKindOf('.js').contentType)
    .header('cache-control', 'no-store')
    .send(RETIRING);
}

type Requested = { opened: Opened; build: WebBuild; entry: WebEntry; path: string; hasOrigin: boolean };

async function send(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  requested: Requested,
): Promise<FastifyReply> {
  const { opened, build, entry, path } = requested;
  const { contentType, coding: named } = entryKindOf(path);
  reply
    .header('content-type', contentType)
    .header('cache-control', cachingOf(opened, contentType))
    .header('vary', 'Accept-Encoding');
  if (needsHelp(request, requested, contentType)) return sendHelped(ctx, request, reply, requested);
  const coding = named === 'by content' ? await findCoding(ctx, build, entry) : named;
  if (coding !== null) return sendCoded(ctx, request, reply, requested, coding);
  if (!entry.isStored && wantsGzip(request)) {
    if (isCurrent(request, reply, etagOf(entry, '-gzip'))) return reply.code(304).send();
    reply.header('content-encoding', 'gzip').header('content-length', String(gzipSizeOf(entry)));
    return sendBody(request, reply, () => readEntryAsGzip(ctx.blobs, build, entry));
  }
  return sendPlain(ctx, request, reply, requested);
}

/** Sends the entry as it was before it was zipped, or a range of it. */
async function sendPlain(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { build, entry }: Requested,
): Promise<FastifyReply> {
  const { blobs } = ctx;
  const etag = etagOf(entry);
  if (isCurrent(request, reply, etag)) return reply.code(304).send();
  const { range: wanted, 'if-range': ifRange } = request.headers;
  const range = readRange(wanted, ifRange, { size: entry.size, etag });
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${entry.size}`).send();
  reply.header('accept-ranges', 'bytes');
  if (range === null) {
    reply.header('content-length', String(entry.size));
    return sendBody(request, reply, () => readEntry(blobs, build, entry, null));
  }
  const content = () => readEntryRange(blobs, build, entry, range, whenGone(reply));
  const open = request.method === 'HEAD' ? null : await content();
  reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${entry.size}`)
    .header('content-length', String(range.end - range.start + 1));
  return reply.send(open ?? undefined);
}

/** Aborts when the client leaves before the response has begun. */
function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  if (raw.destroyed) gone.abort();
  return gone.signal;
}

/**
 * Sends an entry that the engine compressed: as it is to browsers that decode it, otherwise decoded. Browsers don't
 * accept Brotli over plain HTTP, except from this machine.
 */
async function sendCoded(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { build, entry }: Requested,
  coding: Coding,
): Promise<FastifyReply> {
  const isAccepted = acceptsCoding(request.headers['accept-encoding'], coding);
  if (isCurrent(request, reply, etagOf(entry, isAccepted ? '' : '-decoded'))) return reply.code(304).send();
  if (!isAccepted) return sendBody(request, reply, () => decodeEntry(ctx.blobs, build, entry, coding));
  reply.header('content-encoding', coding).header('content-length', String(entry.size));
  return sendBody(request, reply, () => readEntry(ctx.blobs, build, entry, null));
}

/** The encodings of `.unityweb` files that were read before. */
const codings = new WeakMap<WebEntry, Coding | null>();

async function findCoding(ctx: Context, build: WebBuild, entry: WebEntry): Promise<Coding | null> {
  const cached = codings.get(entry);
  if (cached !== undefined) return cached;
  const range = { start: 0, end: Math.min(CODING_BYTES, entry.size) - 1 };
  const coding = entry.size === 0 ? null : codingOf(await buffer(await readEntry(ctx.blobs, build, entry, range)));
  codings.set(entry, coding);
  return coding;
}

/** Larger pages contain what they need, and are sent as they are. */
const MAX_HELPED_BYTES = 2 * MIB;
const MAX_CACHED_BYTES = 16 * MIB;

type HelpedPage = { readonly plain: Buffer; readonly gzipped: Buffer };

const helpedPages = perContext<Recent<string, HelpedPage>>(() => createRecent(MAX_CACHED_BYTES));
const compress = promisify(gzip);

/** Whether a page is about to be shown in a frame without an origin. Games also load pages as text, unchanged. */
function needsHelp({ headers }: FastifyRequest, { entry, hasOrigin }: Requested, contentType: string): boolean {
  const destination = headers['sec-fetch-dest'] ?? 'iframe';
  const isShown = destination !== 'empty';
  return !hasOrigin && contentType.startsWith('text/html') && isShown && entry.size <= MAX_HELPED_BYTES;
}

async function sendHelped(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { build, entry }: Requested,
): Promise<FastifyReply> {
  const isGzipped = acceptsGzip(request.headers['accept-encoding']);
  reply.header('vary', 'Accept-Encoding, Sec-Fetch-Dest');
  const etag = etagOf(entry, `-${SANDBOX_SCRIPT_TAG}${isGzipped ? '-gzip' : ''}`);
  if (isCurrent(request, reply, etag)) return reply.code(304).send();
  const { plain, gzipped } = await readHelped(ctx, build, entry);
  if (isGzipped) reply.header('content-encoding', 'gzip');
  const bytes = isGzipped ? gzipped : plain;
  reply.header('content-length', String(bytes.length));
  return reply.send(request.method === 'HEAD' ? undefined : bytes);
}

async function readHelped(ctx: Context, build: WebBuild, entry: WebEntry): Promise<HelpedPage> {
  const pages = helpedPages(ctx);
  const key = `${build.blobKey} ${entry.offset}`;
  const cached = pages.get(key);
  if (cached !== undefined) return cached;
  const bytes = await buffer(await readEntry(ctx.blobs, build, entry, null));
  const plain = Buffer.from(preparePage(bytes.toString('latin1'), SANDBOX_SCRIPT), 'latin1');
  const page = { plain, gzipped: await compress(plain) };
  pages.set(key, page, page.plain.length + page.gzipped.length);
  return page;
}

async function sendBody(request: FastifyRequest, reply: FastifyReply, open: () => Promise<unknown>) {
  return reply.send(request.method === 'HEAD' ? undefined : await open());
}

function etagOf(entry: WebEntry, variant = ''): string {
  return `"${entry.crc32.toString(16)}-${entry.size}${variant}"`;
}

/** Sets the tag. Returns whether the browser already has the bytes of this tag. */
function isCurrent({ headers }: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag);
  return matches(headers['if-none-match'], etag);
}

function wantsGzip({ headers }: FastifyRequest): boolean {
  return headers.range === undefined && acceptsGzip(headers['accept-encoding']);
}

/** The bytes at a URL never change, but the page of a withdrawn build must not load again. */
function cachingOf({ isForAll }: Opened, contentType: string): string {
  const scope = isForAll ? 'public' : 'private';
  return contentType.startsWith('text/html') ? `${scope}, no-cache` : `${scope}, max-age=${YEAR_SECONDS}, immutable`;
}

function unknownEntry(cause?: unknown): ApiError {
  return errors.notFound('The build has no such file.', { cause });
}
