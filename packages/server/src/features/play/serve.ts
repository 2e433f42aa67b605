// Answers a request for a file of a game that is played. All of it was made by a stranger: what each answer may do stands in its headers.
import { ApiError } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import { sandboxOf } from '@chauffeur/contract/play-sandbox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { acceptsGzip } from '../../kernel/accept-encoding.ts';
import { matches, readRange } from '../../kernel/blobs/send.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { kindOf } from './content-type.ts';
import { gzipSizeOf, readEntry, readEntryAsGzip } from './entry-bytes.ts';
import { isApart, isHostOf } from './origin.ts';
import { type Opened, openPass } from './pass.ts';
import { readWebBuild, type WebBuild, type WebEntry } from './web-build.ts';

const YEAR_SECONDS = 31_536_000;
/** To begin in the midst of a packed entry, all before it has to be unpacked: a larger one is sent whole. */
const MOST_CUT_BYTES = 32 * MIB;

/** `GET /play/{pass}/{path}`; `path` is decoded. Answers 302 to the game’s page where somebody opens it outside of its frame. */
export async function servePlayed(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { pass, path }: { pass: string; path: string },
): Promise<FastifyReply> {
  confine(ctx, reply);
  refuseServiceWorker(ctx, request);
  const opened = await openPass(ctx, pass);
  const { game_id: gameId } = opened.file;
  if (!isHostOf(ctx, request.hostname, gameId)) throw unknownEntry();
  // As a page of its own it would speak to people in the name of the host that they see in the address bar.
  if (request.headers['sec-fetch-dest'] === 'document')
    return reply.code(302).header('location', `${ctx.publicUrl}/g/${gameId}/play`).send();
  const build = await readWebBuild(ctx, opened.file);
  const entry = build.entries.get(path);
  if (entry === undefined) throw unknownEntry();
  try {
    return await send(ctx, request, reply, { opened, build, entry, path });
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    for (const name of ['cache-control', 'content-encoding', 'content-length', 'etag']) reply.removeHeader(name);
    throw unknownEntry(error);
  }
}

/**
 * The sandbox of the frame, said once more for whoever opens the address without it. Who may frame it is not said: a game has nothing that a click
 * could be stolen for, and pages of its own that it frames would have an ancestor without an origin, which no such rule can name. The origin of a sandboxed page is none: its own scripts,
 * fonts and modules count as from elsewhere to it, and so must be open to all. The last two let engines with threads run: a page and its frames
 * share memory only when all of them are such.
 */
function confine(ctx: Context, reply: FastifyReply): void {
  reply
    .header('content-security-policy', `sandbox ${sandboxOf({ keepsSaves: isApart(ctx) })}`)
    .header('referrer-policy', 'strict-origin')
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cross-origin-embedder-policy', 'credentialless');
}

/** On the website’s own host it would answer for the website. A browser says when it wants one (Service Workers, section on “Service-Worker”). */
function refuseServiceWorker(ctx: Context, { headers }: FastifyRequest): void {
  if (headers['service-worker'] !== undefined && !isApart(ctx)) throw unknownEntry();
}

type Asked = { opened: Opened; build: WebBuild; entry: WebEntry; path: string };

async function send(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { opened, build, entry, path }: Asked,
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
  const canCut = coding === null && (entry.isStored || entry.size <= MOST_CUT_BYTES);
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

/** The bytes at an address never change, but a build may be withdrawn: then it must not begin once more. */
function cachingOf({ isForAll }: Opened, contentType: string): string {
  const whose = isForAll ? 'public' : 'private';
  return contentType.startsWith('text/html') ? `${whose}, no-cache` : `${whose}, max-age=${YEAR_SECONDS}, immutable`;
}

function unknownEntry(cause?: unknown): ApiError {
  return new ApiError(4040, 'The build has no such file.', { cause });
}
