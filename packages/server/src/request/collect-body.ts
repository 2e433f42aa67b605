// Collects a small body into memory, for Fastify or for a streaming operation: a fast path for JSON, with the same
// limits and errors as a streamed body.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BODY_CUT, BODY_LATE, BodyTooLargeError, receiveBody, UnreadableBodyError } from './body.ts';

type CollectOptions = {
  /** Bytes after decoding. */
  maxBytes: number;
  /** The whole body must arrive within this time, or a slow sender could hold its connection indefinitely. */
  deadlineMs: number;
};

type Done = (error: Error | null, bytes?: Buffer) => void;

/**
 * Calls `done` once, with the decoded body, or with UnreadableBodyError or BodyTooLargeError. Uses a callback because
 * most requests from games are this small, and every promise in their path costs measurable time (bench/README.md).
 */
export function collectBody(request: IncomingMessage, options: CollectOptions, done: Done): void {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding !== undefined) {
    decodeWhole(request, options).then((bytes) => done(null, bytes), done);
    return;
  }
  if (Number(length ?? 0) > options.maxBytes) done(new BodyTooLargeError(options.maxBytes));
  else collectPlain(request, options, done);
}

function collectPlain(request: IncomingMessage, options: CollectOptions, done: Done): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const deadline = setTimeout(() => finish(new UnreadableBodyError(BODY_LATE)), options.deadlineMs);

  function finish(error: Error | null): void {
    clearTimeout(deadline);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    if (error !== null) done(error);
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
  }
  function onData(bytes: Buffer): void {
    size += bytes.length;
    if (size > options.maxBytes) finish(new BodyTooLargeError(options.maxBytes));
    else chunks.push(bytes);
  }
  function onEnd(): void {
    finish(null);
  }
  function onClose(): void {
    finish(new UnreadableBodyError(BODY_CUT));
  }

  // Never removed, because an error after the end of the body also needs a listener.
  request.on('error', () => undefined);
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  if (request.destroyed) onClose();
}

async function decodeWhole(request: IncomingMessage, { maxBytes, deadlineMs }: CollectOptions): Promise<Buffer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new UnreadableBodyError(BODY_LATE)), deadlineMs);
  try {
    const options = { maxBytes, idleMs: deadlineMs, signal: deadline.signal };
    return await receiveBody(request, options, async (body) => Buffer.concat(await Array.fromAsync(body)));
  } finally {
    clearTimeout(timer);
  }
}

/** The time, in milliseconds, in which a body that is not streamed must arrive as a whole. */
export function bodyDeadlineMs({ uploadIdleSeconds }: { uploadIdleSeconds: number }): number {
  return uploadIdleSeconds * 1000;
}

/**
 * Collects bodies of a content type, up to the limit of their route, and converts them with `parse`, which may throw.
 */
export function addBytesParser(
  app: FastifyInstance,
  contentType: string,
  deadlineMs: number,
  parse: (body: Buffer, route: FastifyRequest['routeOptions']) => unknown,
): void {
  app.addContentTypeParser(contentType, (request, _payload, done) => {
    const { routeOptions: route } = request as FastifyRequest;
    collectBody(request.raw, { maxBytes: route.bodyLimit, deadlineMs }, (error, bytes) => {
      if (error !== null) return done(error);
      try {
        done(null, parse(bytes as Buffer, route));
      } catch (thrown) {
        done(thrown as Error);
      }
    });
  });
}
