// Serves the files of a game that is played in the browser. All of them are untrusted, so response headers limit what
// they can do.
import { ApiError } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import { sandboxOf } from '@chauffeur/contract/play-sandbox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { acceptsGzip } from '../../request/accept-encoding.ts';
import { hostnameOf } from '../../request/host.ts';
import { isApart, isHostOf } from '../../request/play-origin.ts';
import { matches, readRange } from '../../request/send-blob.ts';
import { countPlay } from '../statistics/statistics.ts';
import { kindOf } from './content-type.ts';
import { gzipSizeOf, readEntry, readEntryAsGzip } from './entry-bytes.ts';
import { type Opened, openPass } from './pass.ts';
import { readWebBuild, type WebBuild, type WebEntry } from './web-build.ts';

const YEAR_SECONDS = 31_536_000;
/** A range of a compressed entry requires unpacking everything before it, so larger entries are sent completely. */
const MAX_CUT_BYTES = 32 * MIB;

/** `path` is decoded. `referrer` is the host of the website that the player came from; '' if it isn't known. */
type Played = { readonly pass: string; readonly path: string; readonly referrer: string };

/** `GET /play/{pass}/{path}`. Redirects to the page of the game if it is opened outside its frame. */
export async function servePlayed(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { pass, path, referrer }: Played,
): Promise<FastifyReply> {
  confine(ctx, reply);
  refuseServiceWorker(ctx, request);
  const opened = await openPass(ctx, pass);
  const { game_id: gameId } = opened.file;
  if (!isHostOf(ctx, hostnameOf(request.headers), gameId)) throw unknownEntry();
  // Opened as a page of its own, the game could pretend to be the site in the address bar.
  if (request.headers['sec-fetch-dest'] === 'document')
    return reply.code(302).header('location', `${ctx.publicUrl}/g/${gameId}/play`).send();
  const build = await readWebBuild(ctx, opened.file);
  const entry = build.entries.get(path);
  if (entry === undefined) throw unknownEntry();
  if (path === build.start && request.method === 'GET')
    countPlay(ctx, { gameId, buildId: opened.file.build_id }, referrer);
  try {
    return await send(ctx, request, reply, { opened, build, entry, path });
  } catch (error) {
    throw error instanceof BlobMissingError ? unknownEntry(error) : error;
  }
}

/**
 * Applies the sandbox of the frame to URLs that are opened without the frame, too. There is no frame-ancestors rule,
 * because games are no target for clickjacking, and their own frames have an ancestor with an opaque origin, which no
 * rule can name. A sandboxed page has an opaque origin, so its own scripts, fonts and modules are cross-origin and need
 * CORS. The last two headers allow engines to use threads: a page and its frames share memory only if all of them have
 * these headers.
 */
function confine(ctx: Context, reply: FastifyReply): void {
  reply
    .header('content-security-policy', `sandbox ${sandboxOf({ keepsSaves: isApart(ctx) })}`)
    .header('referrer-policy', 'strict-origin')
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cross-origin-embedder-policy', 'credentialless');
}

/**
 * On the host of the website, a service worker could intercept the website. Browsers mark its request with a header.
 */
function refuseServiceWorker(ctx: Context, { headers }: FastifyRequest): void {
  if (headers['service-worker'] !== undefined && !isApart(ctx)) throw unknownEntry();
}

type Requested = { opened: Opened; build: WebBuild; entry: WebEntry; path: string };

async function send(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { opened, build, entry, path }: Requested,
): Promise<FastifyReply> {
  const { contentType, coding } = kindOf(path);
  const isGzipped = coding === null && !entry.isStored && wantsGzip(request);
  const etag = `"${entry.crc32.toString(16)}-${entry.size}${isGzipped ? '-gzip' : ''}"`;
  reply.header('etag', etag).header('cache-control', cachingOf(opened, contentType)).header('vary', 'Accept-Encoding');
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('content-type', contentType);
  if (isGzipped) {
    reply.header('content-encoding', 'gzip').header('content-length', String(gzipSizeOf(entry)));
    return request.method === 'HEAD' ? reply.send() : reply.send(await readEntryAsGzip(ctx.blobs, build, entry));
  }
  if (coding !== null) reply.header('content-encoding', coding);
  const canCut = coding === null && (entry.isStored || entry.size <= MAX_CUT_BYTES);
  const { headers } = request;
  const range = canCut ? readRange(headers.range, headers['if-range'], { size: entry.size, etag }) : null;
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${entry.size}`).send();
  if (canCut) reply.header('accept-ranges', 'bytes');
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${entry.size}`);
  const length = range === null ? entry.size : range.end - range.start + 1;
  reply.header('content-length', String(length));
  return request.method === 'HEAD' ? reply.send() : reply.send(await readEntry(ctx.blobs, build, entry, range));
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
  return new ApiError(4040, 'The build has no such file.', { cause });
}
