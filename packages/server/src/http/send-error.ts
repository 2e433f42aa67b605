// Responds to every request that fails: with the error of the registry that was thrown, or to requests that Node's HTTP
// parser rejects, which belong to no route or operation.
import type { Socket } from 'node:net';
import { failureOf } from '@chauffeur/contract/envelope';
import { ApiError, CODES, type ErrorCode, errors } from '@chauffeur/contract/errors';
import { formatBytes } from '@chauffeur/contract/format';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { newId } from '../kernel/secrets/ids.ts';
import type { Log } from '../kernel/telemetry/log.ts';
import { BodyTooLargeError, UnreadableBodyError } from '../request/body.ts';
import { asKnownError, asUnexpected, logFailure } from '../request/failures.ts';
import { requestSpanOf } from './tracing.ts';

const RETRY_SECONDS = 2;
/** What a handler may have said about the content that it could then not send. */
const CONTENT_HEADERS = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'etag',
];

/**
 * Responds with an error. `invalid` is the operation's code for a malformed request; `bodyOf` creates the body if it
 * differs from our envelope.
 */
export function sendError(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  invalid: ErrorCode = CODES.invalid,
  bodyOf: (error: ApiError) => object = failureOf,
): FastifyReply {
  const error = translate(thrown, invalid);
  const operation = request.routeOptions.config?.operation ?? 'unknown';
  if (error.status >= 500) logFailure(ctx, request.log, { thrown, code: error.code, operation }, 'request failed');
  ctx.metrics.refusals.inc({ operation, code: error.code });
  const span = requestSpanOf(request);
  span?.set({ 'chauffeur.error_code': error.code });
  if (error.status >= 500) span?.fail(error);
  const retryAfter = error.data?.retry_after ?? (error.code === CODES.unavailable ? RETRY_SECONDS : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  for (const name of CONTENT_HEADERS) reply.removeHeader(name);
  return reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(error)));
}

function translate(thrown: unknown, invalid: ErrorCode): ApiError {
  const mapped = asKnownError(thrown);
  if (mapped !== null) return mapped;
  if (thrown instanceof UnreadableBodyError) return new ApiError(invalid, thrown.message, { cause: thrown });
  if (thrown instanceof BodyTooLargeError)
    return new ApiError(invalid, `body: larger than ${formatBytes(thrown.maxBytes)}. Make it smaller.`, {
      cause: thrown,
    });
  const { code, statusCode } = thrown as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError(invalid, 'body: too large for this route. Make it smaller.');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError(invalid, 'Content-Length does not match the body. Correct it.');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError(invalid, 'Content-Type: not supported by this route.');
  if (code?.startsWith('FST_ERR_') === true && statusCode !== undefined && statusCode < 500) {
    return new ApiError(invalid, 'The request could not be read. Send it as the API reference says.');
  }
  return asUnexpected(thrown);
}

/** Keys are the codes of the parser; any other error is a 400. */
const REFUSALS: Readonly<Record<string, { status: number; phrase: string; message: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    phrase: 'Request Timeout',
    message: 'The request did not arrive in time. Send it again.',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    phrase: 'Request Header Fields Too Large',
    message: 'The headers are too large. Make them smaller.',
  },
};
const MALFORMED = {
  status: 400,
  phrase: 'Bad Request',
  message: 'The request is not well-formed HTTP/1.1. Check its headers and lengths.',
};

/** Responds once and closes the connection, because the start of the next request is unknown. */
export function answerClientError(log: Log, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, phrase, message } = REFUSALS[error.code ?? ''] ?? MALFORMED;
  const requestId = newId();
  log.info({ requestId, status, reason: error.code }, 'malformed request refused');
  const body = JSON.stringify(failureOf(errors.invalid(message)));
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    'content-type: application/json; charset=utf-8',
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
