// Sends a document: compressed for clients that accept it, and without its bytes for browsers that have it already.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../../request/accept-encoding.ts';
import { matches } from '../../request/send-blob.ts';

/** Smaller responses fit into one packet anyway. */
const MIN_GZIP_LENGTH = 1000;
const compress = promisify(gzip);

/** `policy` is its Content-Security-Policy. Only a document with status 200 is tagged. */
export async function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  policy: string,
): Promise<FastifyReply> {
  const isGzipped = text.length >= MIN_GZIP_LENGTH && acceptsGzip(request.headers['accept-encoding']);
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 27)}${isGzipped ? '-gz' : ''}"`;
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'strict-origin-when-cross-origin');
  if (reply.statusCode === 200) {
    reply.header('etag', etag);
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  }
  return isGzipped ? reply.header('content-encoding', 'gzip').send(await compress(text)) : reply.send(text);
}
