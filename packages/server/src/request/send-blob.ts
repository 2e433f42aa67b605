// Responds with a blob: by redirecting to a signed URL, or with the bytes, observing If-None-Match, If-Range and one
// byte range.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { attachment } from '../kernel/blobs/content-disposition.ts';
import type { BlobStore, ByteRange } from '../kernel/blobs/store.ts';

export type SendableBlob = {
  key: string;
  size: number;
  /** A strong entity tag, including its quotes. */
  etag: string;
  filename: string;
  contentType: string;
  /** How long a signed URL is valid; null always sends the bytes from here. */
  signedSeconds: number | null;
};

/** The source of the blob: a store, or a wrapper that decompresses its blobs. */
export type BlobReader = Pick<BlobStore, 'read' | 'sign'>;

export async function sendBlob(
  blobs: BlobReader,
  request: FastifyRequest,
  reply: FastifyReply,
  blob: SendableBlob,
): Promise<FastifyReply> {
  reply.header('etag', blob.etag).header('accept-ranges', 'bytes');
  if (matches(request.headers['if-none-match'], blob.etag)) return reply.code(304).send();
  const { key, size, filename, contentType, signedSeconds: seconds } = blob;
  const signed = seconds === null ? null : await blobs.sign(key, { seconds, filename, contentType });
  if (signed !== null) return reply.code(302).header('location', signed).send();
  reply.header('content-type', contentType).header('content-disposition', attachment(filename));
  const range = readRange(request.headers.range, request.headers['if-range'], blob);
  if (range === 'unsatisfiable')
    return reply.code(416).header('cache-control', 'no-store').header('content-range', `bytes */${size}`).send();
  const length = range === null ? size : range.end - range.start + 1;
  reply.code(range === null ? 200 : 206).header('content-length', String(length));
  if (range !== null) reply.header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  if (request.method === 'HEAD') return reply.send();
  return reply.send(await blobs.read(key, range ?? undefined));
}

/** If-None-Match: `*` or a list of tags, compared weakly (RFC 9110, section 13.1.2). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}

/**
 * Whether a request continues a download: it has an If-Range with the tag of the bytes that the client has, as browsers
 * send, or it begins after the first byte, as other programs continue.
 */
export function resumesDownload(headers: FastifyRequest['headers'], etag: string): boolean {
  if (headers.range === undefined) return false;
  if (headers['if-range'] !== undefined) return headers['if-range'] === etag;
  return /^bytes=0*[1-9]\d*-/.test(headers.range.trim());
}

/**
 * Returns the requested range (RFC 9110, section 14.2). Several ranges, another unit, a malformed header and an
 * If-Range with another tag select the whole blob, as the RFC allows.
 */
export function readRange(
  header: string | undefined,
  ifRange: string | string[] | undefined,
  blob: { size: number; etag: string },
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if ((first === '' && last === '') || (ifRange !== undefined && ifRange !== blob.etag)) return null;
  if (first === '') {
    const length = Math.min(Number(last), blob.size);
    return length === 0 ? 'unsatisfiable' : { start: blob.size - length, end: blob.size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= blob.size) return 'unsatisfiable';
  return { start, end: last === '' ? blob.size - 1 : Math.min(Number(last), blob.size - 1) };
}
